"$ANALYZER" --confg=x
echo "$?"
"$ANALYZER" run -Z x
echo "$?"
"$ANALYZER" list --dry-run=3
echo "$?"
"$ANALYZER" run --quiet=yes x
