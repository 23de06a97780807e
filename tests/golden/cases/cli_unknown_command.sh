"$ANALYZER" prove x
echo "$?"
"$ANALYZER" compare a b
echo "$?"
: >trace.csv
"$ANALYZER" trace.csv
