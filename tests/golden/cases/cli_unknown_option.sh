"$ANALYZER" --confg=x
echo "$?"
"$ANALYZER" run -Z x
echo "$?"
# the letter is meant, whatever stands before its cluster
"$ANALYZER" run --strict -Zq x
echo "$?"
"$ANALYZER" list --dry-run=3
echo "$?"
"$ANALYZER" run --quiet=yes x
