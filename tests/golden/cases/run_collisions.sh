cp "$SRC"/tests/data/nsys/tiny_cuda_gpu_kern_sum.csv "$SRC"/tests/data/nsys/other_*.csv .
before=$(cksum ./*.csv)
cat >c.json <<'JSON'
{ "inputs": [
    { "title": "same", "path": "tiny_cuda_gpu_kern_sum.csv" },
    { "title": "same", "path": "tiny_cuda_gpu_kern_sum.csv" } ] }
JSON
"$ANALYZER" --config=c.json
echo "$?"
"$ANALYZER" run other_cuda_gpu_kern_sum.csv --xlsx ./other_cuda_gpu_kern_sum.csv
echo "$?"
ln other_cuda_gpu_kern_sum.csv link.xlsx
"$ANALYZER" run other_cuda_gpu_kern_sum.csv -o link.xlsx
echo "$?"
"$ANALYZER" --config=c.json --only same --xlsx c.json
echo "$?"
cp tiny_cuda_gpu_kern_sum.csv kern_sum.csv
"$ANALYZER" run kern_sum.csv --csv-dir . -q
echo "$?"
cmp kern_sum.csv tiny_cuda_gpu_kern_sum.csv
[ "$before" = "$(cksum other_*.csv tiny_*.csv)" ] && echo unchanged
ls
