# What `version` lists: names of libraries and parts, in their order; their numbers are those of the machine.
"$ANALYZER" version | sed -n 's/^\(analyzer\|[a-z0-9-]*\) [0-9][0-9.]*.*/\1/p; s/^\([a-z ]*\):.*/\1/p; s/^\(Lua\|lua\).*/lua/p' | grep -v static | sort -u
formats=$("$ANALYZER" version | sed -n 's/^formats: //p')
for f in $formats; do
    "$ANALYZER" list | grep -q "$f" || echo "not listed: $f"
done
"$ANALYZER" version | tail -n 2
"$ANALYZER" version --help | head -n 1
"$ANALYZER" version extra 2>&1 || echo "exit status $?"
