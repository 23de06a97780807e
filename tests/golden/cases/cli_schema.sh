# The schema of the configuration is the one that is stored; what the command refuses.
"$ANALYZER" schema >config.schema.json
cmp config.schema.json "$SRC/schemas/config.schema.json" && echo "equal"
"$ANALYZER" schema --help
"$ANALYZER" schema more
echo "exit $?"
