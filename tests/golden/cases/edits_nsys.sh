# Exports of Nsight Systems, copied with some seeded changes: rows and messages of each copy, a digest of each table.
for seed in 53 54; do
    "$PYTHON" "$SRC/tests/gen/make_ties.py" $seed.json --seed $seed --steps 3 || exit 99
    "$PYTHON" "$SRC/tests/gen/make_ties_nsys.py" $seed.json $seed.sqlite || exit 99
done
"$PYTHON" "$SRC/tests/golden/edits.py" 4 40 53.sqlite 54.sqlite gap_threshold_us=0,1,2 nvtx_tag_of_iter=forward,backward warmup_iters=1,2 \
    util_chunks=1,3 num_of_iters=1,3 num_of_gpus=2 kernel_names=short,mangled steps=pattern,none,2 rank_tables=always
