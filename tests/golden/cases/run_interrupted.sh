cp "$SRC"/tests/data/nsys/tiny_cuda_gpu_kern_sum.csv .
mkfifo pipe
cat >c.json <<'JSON'
{ "inputs": [
    { "format": "csv", "title": "done", "nsys_csv_file_path": { "kernel_sum": "tiny_cuda_gpu_kern_sum.csv" },
      "analysis_args": { "num_of_iters": 1 } },
    { "format": "csv", "title": "hangs", "nsys_csv_file_path": { "kernel_sum": "pipe" },
      "analysis_args": { "num_of_iters": 1 } } ] }
JSON
timeout --foreground --preserve-status -s INT 2 "$ANALYZER" --config=c.json -j 2 -o out
echo "$?"
# nobody writes to the pipe: copying it is interrupted too
timeout --foreground --preserve-status -s INT 2 "$ANALYZER" run pipe
echo "$?"
find . | sort
