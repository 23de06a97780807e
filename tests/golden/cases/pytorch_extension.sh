# Models in a script of the user's: used, and left out as a whole when one fails.
"$ANALYZER" --config="$SRC/example/pytorch_models.json" --csv-dir ok >/dev/null || echo "exit status $?"
cut -d, -f1-2 ok/Extension_fwd.csv | cut -c1-60
grep '^roofline' ok/coverage.csv
for body in 'while true do end' 'error("out of shapes")' 'return "many"'; do
    echo "== $body"
    printf 'perf_models = { ["aten::mm"] = function(e)\n  %s\nend }\n' "$body" >script.lua
    printf '{ "inputs": [ { "format": "pytorch", "path": "%s" } ], "extension_file": "script.lua" }\n' "$SRC/example/pytorch/inference.json" >config.json
    "$ANALYZER" --config=config.json --csv-dir "bad" 2>&1 >/dev/null | sed 's|^.*script.lua|script.lua|'
    "$ANALYZER" run "$SRC/example/pytorch/inference.json" --csv-dir plain >/dev/null
    diff -r plain bad && echo "as without the script"
done
