cp "$SRC"/tests/data/nsys/*.csv .
cat >c.json <<'JSON'
{ // two configurations of one run, and one that cannot be read
    "inputs": [
        { "format": "csv", "title": "first", "nsys_csv_file_path": { "kernel_sum": "tiny_cuda_gpu_kern_sum.csv" },
          "analysis_args": { "num_of_iters": 1 } },
        { "format": "csv", "title": "gone", "nsys_csv_file_path": { "kernel_sum": "nowhere.csv" },
          "analysis_args": { "num_of_iters": 1 } },
        { "format": "csv", "title": "second", "nsys_csv_file_path": { "kernel_sum": "tiny_cuda_gpu_kern_sum.csv" },
          "analysis_args": { "num_of_iters": 2, "num_of_gpus": 1 } },
    ],
    "kernel_to_class_map": { "gemm": "gemm", "relu": "activation" }
}
JSON
"$ANALYZER" --config=c.json -o out
echo "$?"
ls out
"$ANALYZER" --config c.json -o only --only second
echo "$?"
ls only
"$ANALYZER" --config c.json -o none --only secnd
echo "$?"
"$ANALYZER" check-config c.json
echo "$?"
ls none
