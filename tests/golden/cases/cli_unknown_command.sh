"$ANALYZER" prove x
echo "$?"
"$ANALYZER" gather a b
echo "$?"
: >trace.csv
"$ANALYZER" trace.csv
"$ANALYZER" comp # the beginning of a command
"$ANALYZER" help quer
"$ANALYZER" watch traces # an option
