# A window of a trace as a trace; what cannot be cut.
T=$SRC/example/pytorch/train_step.json
"$ANALYZER" cut "$T" --steps 1 -o part.json
"$ANALYZER" part.json | head -n 3
"$ANALYZER" cut "$T" "$SRC/example/pytorch/inference.json" --from 50% -o parts
"$ANALYZER" cut "$T" --keep kernels --range 'Block_*' -o kernels.json.gz
tail -n 4 part.json | cut -c 1-120
ls
ls parts
"$ANALYZER" cut "$SRC/example/multirank/step_120" --ranks 0,2-3 --from 50% -o ranks
ls ranks
for bad in "$T -o x.json" "$T --steps 1" "$T --steps 9 -o x.json" "$T --range none -o x.json" "part.json --from 0 -o part.json" \
    "$SRC/example/tracy/ops_perf_results_layers.csv --from 1ms -o x.csv" "none.json --steps 1 -o x.json" "$T --keep all -o x.json" \
    "$T --steps two -o x.json" "$T --ranks a -o x" "$SRC/example/multirank/step_120 --ranks 9 -o x"; do
    # shellcheck disable=SC2086 # words
    "$ANALYZER" cut $bad 2>&1 || echo "exit status $?"
done
ls x.json x.csv 2>&1
echo "== an event without a correlation id belongs to no launch, nor is it one"
e() { echo '{"ph":"X","cat":"'"$1"'","name":"'"$2"'","pid":0,"tid":1,"ts":'"$3"',"dur":2,"args":{"device":0,"stream":7'"$4"'}}'; }
r=cuda_runtime
echo "[$(e $r cudaLaunchKernel 1),$(e kernel launch_lost 50 ',"correlation":1'),$(e kernel last 98)]" >a.json
echo "[$(e $r cudaLaunchKernel 1 ',"correlation":1'),$(e kernel no_id 50),$(e kernel early 3 ',"correlation":1'),$(e $r cudaLaunchKernel 2 ',"correlation":5'),$(e kernel next_to_it 51 ',"correlation":5'),$(e kernel last 98)]" >b.json
for f in a b; do
    "$ANALYZER" cut $f.json --from 40us --to 80us -o cut_$f.json
    grep -o '"name":"[a-z_]*"' cut_$f.json
done
echo "== a pipe, which can be read only once"
mkfifo pipe.json
"$ANALYZER" cut pipe.json --steps 1 -o piped.json 2>&1 || echo "exit status $?"
"$ANALYZER" cut - --steps 1 -o piped.json 2>&1 <a.json || echo "exit status $?"
ls piped.json 2>&1
