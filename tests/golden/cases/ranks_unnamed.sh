# Ranks whose names have none: known by their metadata, by another text (a note names the option), or not at all.
M=$SRC/example/multirank/step_120
mkdir named unnamed others numbers steps two
i=0
for name in alpha beta gamma delta; do
    cp "$M/rank_$i.json" named/$name.json
    sed 's/"distributedInfo"/"other"/' "$M/rank_$i.json" >unnamed/$name.json
    cp unnamed/$name.json others/node${i}_trace.json
    cp unnamed/$name.json numbers/$i.json
    cp unnamed/$name.json steps/step_$i.json
    i=$((i + 1))
done
cp named/alpha.json named/beta.json two
cp named/alpha.json two/again.json # a rank twice
for f in named unnamed others numbers steps two; do
    echo "== $f"
    "$ANALYZER" $f 2>&1 | grep -E '^(=====|analyzer|[0-9]+ x|NVIDIA)'
done
"$ANALYZER" others --rank-pattern=node | head -n 2
"$ANALYZER" numbers --rank-pattern=re:^ | head -n 2
"$ANALYZER" multirank others 2>&1 | tail -n 2
