# Ways in: standard input, gzip, several files, one input of several files.
in=$SRC/example/pytorch
"$ANALYZER" run "$in/inference.json" -q --csv-dir plain
"$ANALYZER" run - -q --csv-dir stream <"$in/inference.json"
gzip -9 -n -c "$in/inference.json" >inference.json.gz
"$ANALYZER" run inference.json.gz -q --csv-dir gz
gzip -c "$in/inference.json" | "$ANALYZER" run - -q --csv-dir gzstream
for d in stream gz gzstream; do
    for t in plain/*.csv; do # facts tell the files apart
        [ "$(basename "$t")" = facts.csv ] || cmp "$t" "$d/$(basename "$t")"
    done
done
echo "== several files: an input each"
cp "$in"/*.json .
cp inference.json inference2.json
"$ANALYZER" run train_step.json inference.json inference2.json inference.json.gz --dry-run
echo "$?"
"$ANALYZER" run . -q --csv-dir many
echo "$?"
ls many
echo "== several files in one input"
printf '{ "inputs": [ { "format": "pytorch", "path": ["train_step.json", "inference.json"] } ] }\n' >two.json
"$ANALYZER" --config=two.json
echo "$?"
echo "== standard input that is no profile: read once, and said as of a file"
printf '\377\376{\0}\0' >utf16.json
"$ANALYZER" run - <utf16.json
echo "$?"
"$ANALYZER" run utf16.json
echo "$?"
