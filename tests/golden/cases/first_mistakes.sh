# What a newcomer gets wrong first, and what the message says of it; and what the first screen says of unusual input.
E=$SRC/example/pytorch
COLUMNS=100
export COLUMNS
show() {
    echo "== $*"
    "$ANALYZER" "$@" >got 2>&1
    rc=$?
    sed "s|$SRC/||g" got | grep -v ' memory$' | head -n 4
    echo "rc $rc"
}
show list outputs
show list reports
show query "SELECT 1"
show "$E/train_step.json" --steps 99
show "$E/train_step.json" --steps 98-99
show "$E/train_step.json" -o out.pdf
show "$E/train_step.json" -o out.csv
show "$E/train_step.json" -o reports.v2 --format json
show gate "$SRC/example/compare.json" "$E/train_step.json"
show merge "$SRC/example/multirank/step_120" -o merged.json
mkdir empty
show merge empty -o merged.json
ls
echo "== whose peaks the shares are of"
"$ANALYZER" "$E/train_step.json" --device=H200 2>/dev/null | sed -n 2p
echo "== a step that is longer than what is left of the file"
head -c 26000 "$E/train_step.json" >cut.json
"$ANALYZER" cut.json 2>/dev/null | sed -n 2p
echo "== kernels without copies, and device time with them"
"$ANALYZER" "$SRC"/example/nsys/*.csv 2>/dev/null | grep -E '^Kernels  |^  Family|^  gemm'
echo "== one quantity, one number: exposed communication of the verdict and of the findings"
"$ANALYZER" multirank -b "$SRC/example/multirank" 2>/dev/null | grep -E '^GPU time|362.6 us'
echo "== a name that is near none, an option in place of a value"
show query "$E/train_step.json" "SELECT foo FROM kernels"
show query "$E/train_step.json" "SELECT * FROM kernals"
show foo
show multirank -b -v
echo "== analyses of one name"
"$ANALYZER" list analyses | grep '^  kernel_summary '
