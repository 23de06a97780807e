# Call-tree difference of calls with equal names: which of them correspond is seen by what they call, not by their order.
"$PYTHON" - <<'P'
import json


def write(name, tree):
    events, now, corr = [], [1000.0], [0]

    def put(node, depth):
        label, inside = node
        start = now[0]
        now[0] += 1
        if isinstance(inside, int):  # a launch and its kernel
            corr[0] += 1
            events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": now[0], "dur": 1, "args": {"correlation": corr[0]}})
            events.append({"ph": "X", "cat": "kernel", "name": "k_" + label, "pid": 0, "tid": 7, "ts": now[0] + 500, "dur": inside,
                           "args": {"correlation": corr[0], "device": 0, "stream": 7}})
            now[0] += 2
        else:
            for child in inside:
                put(child, depth + 1)
        now[0] += 1
        events.append({"ph": "X", "cat": "cpu_op", "name": label, "pid": 1, "tid": 1, "ts": start, "dur": now[0] - start,
                       "args": {"Input Dims": [[4, 4]], "Input type": ["float"]}})
        now[0] += 1

    for node in tree:
        put(node, 0)
    json.dump({"traceEvents": events}, open(name, "w"))


mm, add, mul, exp = ("aten::mm", 2), ("aten::add", 1), ("aten::mul", 1), ("aten::exp", 1)
one = ("sub", [mm, add])
two = ("sub", [mul, mul, exp])
three = ("sub", [("inner", [mm, exp]), add])
write("a.json", [("net", [one, two, three, add]), ("net", [two, one]), ("tail", [mm, mm, add])])
write("b.json", [("net", [two, three, one]), ("net", [("sub", [mm, mul]), two, one, exp]), ("tail", [add, mm, mm, mm])])
write("c.json", [("net", [one] * 70 + [two]), ("tail", [mm])])
write("d.json", [("net", [two] + [one] * 71), ("tail", [mm, add])])
P
for pair in 'a b' 'b a' 'a a' 'c d'; do
    "$ANALYZER" compare "${pair% *}.json" "${pair#* }.json" --tree --csv-dir out -q
    echo "===== $pair: $?"
    sh "$SRC/tests/golden/tables.sh" out diff_stats_unique_args_summary diff_by_op names_diff op_kernel_map | cut -c 1-300
    [ "$pair" = "c d" ] || sh "$SRC/tests/golden/tables.sh" out diff_stats merged_tree | cut -c 1-220
    rm -rf out
done 2>/dev/null
