try() { cat >c.json; "$ANALYZER" --config=c.json; echo "$?"; }
try <<'JSON'
{ "inputs": [] }
JSON
try <<'JSON'
{ "inputs": [ { "format": "csv", "title": "t", "nsys_csv_file_path": { "kernel_sum": "a.csv" },
    "analysis_args": { "num_of_iter": 1 } } ] }
JSON
try <<'JSON'
{ "inputs": [
JSON
"$ANALYZER" --config=missing.json
echo "$?"
ls
