# Copies of other sizes, or of none, on another rank: a line says the sizes of all that it counts. Gaps that call for
# other advice on another rank are another line.
write() { # FOLDER BYTES-OF-RANK-0 BYTES-OF-RANK-1 GAP-OF-RANK-0 GAP-OF-RANK-1
    mkdir -p "$1"
    "$PYTHON" - "$@" <<'END'
import json, sys
folder, sizes, gaps = sys.argv[1], sys.argv[2:4], [int(x) for x in sys.argv[4:6]]
for rank in range(2):
    events, at, corr = [], 0, 0
    def add(category, name, start, length, tid, args):
        events.append({"ph": "X", "cat": category, "name": name, "ts": start, "dur": length, "pid": 0 if tid == 7 else 1, "tid": tid, "args": args})
    for i in range(5):
        corr += 2
        add("user_annotation", "forward", at, gaps[rank], 1, {})
        at += gaps[rank]
        add("cuda_runtime", "cudaLaunchKernel", at, 2, 1, {"correlation": corr})
        add("kernel", "ampere_sgemm_128x64_tn", at + 5, 400, 7, {"correlation": corr, "device": rank, "stream": 7})
        add("cuda_runtime", "cudaMemcpyAsync", at + 3, 2, 1, {"correlation": corr + 1})
        size = {} if sizes[rank] == "-" else {"bytes": int(sizes[rank])}
        add("gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", at + 405, 100, 7, dict(size, correlation=corr + 1, device=rank, stream=7))
        at += 505
    trace = {"schemaVersion": 1, "distributedInfo": {"backend": "nccl", "rank": rank, "world_size": 2}, "traceEvents": events}
    with open("%s/rank%d.json" % (folder, rank), "w") as out:
        json.dump(trace, out)
END
    echo "== $*"
    COLUMNS=160 "$ANALYZER" run "$1" -o out 2>/dev/null | sed -n '/^Est/,/^Data/p'
}
write equal 4000000 4000000 1200 1200
write sizes 1000000 8400000 1200 1200
write unknown 4000000 - 1200 1200
write none - - 1200 1200
write advice 4000000 4000000 700 1300
