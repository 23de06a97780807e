# Names of options that users of other reports of XPlane profiles know: the path of the profile, and kernels by their metadata.
cat >c.json <<'JSON'
{ "inputs": [{ "format": "xplane", "title": "filtered", "profile_path": "p/alpha.xplane.pb",
               "options": { "kernel_metadata_keyword_filters": "cudnn-conv gemm_fusion", "output_csvs_dir": "out" } }] }
JSON
mkdir p && cp "$SRC"/example/xplane/plugins/profile/train_step/alpha.xplane.pb p/ || exit 99
"$ANALYZER" --config=c.json -q
echo "$?"
cat out/kernel_summary.csv out/gpu_timeline.csv
grep '^dropped' out/coverage.csv
