# --set and --opt on paths of the command line: what they can say, and what they cannot.
cp "$SRC"/tests/data/nsys/*_cuda_gpu_kern_sum.csv .
look() { "$ANALYZER" run "$@" --dry-run; echo "$?"; }
look tiny_cuda_gpu_kern_sum.csv --set 'inputs.*.title=my run' --set inputs.0.outputs.dir=out
look tiny_cuda_gpu_kern_sum.csv --set inputs.0.format=nsys-sqlite
look tiny_cuda_gpu_kern_sum.csv other_cuda_gpu_kern_sum.csv --opt output_csvs_dir=out
look tiny_cuda_gpu_kern_sum.csv other_cuda_gpu_kern_sum.csv --opt output_xlsx_path=out.xlsx
look tiny_cuda_gpu_kern_sum.csv --set inputs.1.title=x
look tiny_cuda_gpu_kern_sum.csv --set inputs.0.path=x
