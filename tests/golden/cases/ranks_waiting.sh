# Runs of ranks with known faults (ranks_claims_check.py): late hosts, slow kernels, links and stages, a rank without a file. The verdict
# whole, all tables by rows and a digest: the check compares the findings with the faults, this one the numbers.
"$PYTHON" - <<'PY' || exit 99
import os, sys
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.environ["SRC"], "tests"))
import ranks_claims_check
for i, (name, run, faults, missing) in enumerate(ranks_claims_check.scenarios(2)):
    run.write("%02d %s" % (i, name.replace(":", "")), missing)
PY
for run in [0-9]*; do
    echo "== $run"
    COLUMNS=200 "$ANALYZER" multirank -b "$run" --all-ranks -o "csv/$run" --format text,csv -j 1 2>/dev/null | sed -n '1,/^$/p'
done
"$PYTHON" "$SRC/tests/golden/digests.py" csv/*
