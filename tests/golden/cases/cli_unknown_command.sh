"$ANALYZER" prove x
echo "$?"
"$ANALYZER" gather a b
echo "$?"
: >trace.csv
"$ANALYZER" trace.csv
