"$ANALYZER" --help
"$ANALYZER" run -h
"$ANALYZER" help prob
echo "$?"
