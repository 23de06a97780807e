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
echo "== one share of a family, of device time"
"$ANALYZER" "$SRC"/example/nsys/*.csv 2>/dev/null | grep -E '^GPU time  |^  Family|^  gemm'
echo "== one quantity, one number: exposed communication of the verdict and of the findings"
"$ANALYZER" multirank -b "$SRC/example/multirank" 2>/dev/null | grep -E '^GPU time|362.6 us'
echo "== a name that is near none, an option in place of a value"
show query "$E/train_step.json" "SELECT foo FROM kernels"
show query "$E/train_step.json" "SELECT * FROM kernals"
show foo
show multirank -b -v
echo "== analyses of one name"
"$ANALYZER" list analyses | grep '^  kernel_summary '
echo "== values of options: named as typed, nothing was run"
show "$E/train_step.json" --from 5x
show "$E/train_step.json" --from 60% --to 40%
show "$E/train_step.json" --opt topk_op=5 -q
show "$E/train_step.json" --opt topk=5 -q
echo "== a missing file is an input that fails, in every command"
show nosuch.json
show probe nosuch.json
show cut nosuch.json --from 1us -o out.json
show multirank -b nosuch
echo "== folders and windows that are not there"
show "$E/decode/trace.json" --opt capture_folder=captures
show "$E/train_step.json" --range none
show "$E/train_step.json" --from 10s
echo "== SQL that is none"
show query "$E/train_step.json" "SELEC 1"
show query "$E/train_step.json" "SELECT name FROM kernels 5 WHERE 1"
show query "$E/train_step.json" "SELECT (1"
echo "== shapes that graph captures have"
"$ANALYZER" probe "$E/decode" | grep -E 'json|shapes'
echo "== a hidden collective is not the kernel that matters"
"$ANALYZER" "$EXAMPLE_DATA/rocprof/train_results.db" 2>/dev/null | grep -c '^Kernels  '
echo "== copies in categories of operators, sizes in MiB, calls and slices that are counted"
"$ANALYZER" "$E/train_step.json" -v 2>/dev/null | grep -E 'copies and fills|\(MiB\)|at most once|slices of|inside'
