# One workload in the five forms of rocprofv3, at times that are often equal: verdicts whole, of all tables the rows and a
# digest.
for seed in 1 2 3 4; do
    "$PYTHON" "$SRC/tests/gen/make_ties_rocprof.py" in$seed $seed $((seed + 1)) || exit 99
    for form in _results.json _results.db _results.pftrace _pftrace.json _kernel_trace.csv; do
        echo "== $seed $form"
        COLUMNS=200 "$ANALYZER" in$seed/ties$form | sed -n '2,/^$/p'
        "$ANALYZER" run -q --compat=all --csv-dir "out$form/$seed" in$seed/ties$form --opt gap_threshold_us=1
    done
done
for form in _results.json _results.db _results.pftrace _pftrace.json _kernel_trace.csv; do
    echo "== $form"
    "$PYTHON" "$SRC/tests/golden/digests.py" out$form/*
done
