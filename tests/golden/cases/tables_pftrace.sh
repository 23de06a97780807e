# Every cell of the tables of a PyTorch trace in its native Perfetto form, which loses shapes and threads.
for how in --cut --shuffle --deflate --unnamed; do
    "$PYTHON" "$SRC/tests/gen/make_torch_pftrace.py" "$SRC/example/pytorch/train_step.json" t.pftrace $how || exit 99
    "$ANALYZER" run -q --csv-dir ./$how t.pftrace
    rm ./$how/facts.csv # sizes of the file
done
diff -r ./--cut ./--shuffle && diff -r ./--cut ./--deflate && echo "equal in any order and packed"
diff -r ./--cut ./--unnamed && echo "equal by the numbers of stages"
mv ./--cut out
sh "$SRC/tests/golden/tables.sh" out \
    account coll_analysis coverage findings gpu_timeline host_operators idle_causes kernel_summary mem_time_sum \
    ops_summary ops_summary_by_category step_work steps time_by_family trust_checks verdict verdict_facts
sed -n 1,9p out/idle_gaps.csv
