# Profiles of rocprofv3 in its forms, copied with some seeded changes: rows and messages of each copy, a digest of each table.
for form in _results.json _results.db _results.pftrace _pftrace.json; do
    echo "== $form"
    cp "$EXAMPLE_DATA/rocprof/train$form" . || exit 99
    "$PYTHON" "$SRC/tests/golden/edits.py" 5 16 train$form gap_threshold_us=0,1,2 kernel_details=true topk_kernels=1 rank_tables=always \
        short_kernel_study=true short_kernel_threshold_us=1,2 merge_kernels=true min_event_ns=1,1000 allow_multi_kernel_per_api=true \
        kernel_names=full kernel_geometry=true steps=pattern,none
done
