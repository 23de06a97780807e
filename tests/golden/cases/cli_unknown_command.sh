"$ANALYZER" prove x
echo "$?"
"$ANALYZER" merge a b
echo "$?"
: >trace.csv
"$ANALYZER" trace.csv
