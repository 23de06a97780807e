# Attention of a step that has two annotations: the one with sums of lengths counts, whichever is the inner one.
"$PYTHON" - <<'MAKE'
import json
both = ["step[DECODE bs=2]", "execute_2_context_0(sq0sk0sqsq0sqsk0)_generation_2(sq2sk10sqsq2sqsk10)"]
for n, names in enumerate((both, both[::-1])):
    events = [{"ph": "X", "cat": "user_annotation", "name": name, "pid": 1, "tid": 1, "ts": 1000 + i, "dur": 500 - 2 * i}
              for i, name in enumerate(names)]
    args = {"Input Dims": [[2, 2, 8], [2, 1, 8], [2, 1, 8]], "Input type": ["c10::BFloat16"] * 3, "Concrete Inputs": [""] * 3}
    events += [{"ph": "X", "cat": "cpu_op", "name": "vllm::unified_attention_with_output", "pid": 1, "tid": 1, "ts": 1010, "dur": 40, "args": args},
               {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 1020, "dur": 5, "args": {"correlation": 1}},
               {"ph": "X", "cat": "kernel", "name": "attention", "pid": 0, "tid": 7, "ts": 1040, "dur": 20, "args": {"correlation": 1, "device": 0, "stream": 7}}]
    json.dump({"traceEvents": events}, open("t%d.json" % n, "w"))
MAKE
for n in 0 1; do
    "$ANALYZER" run t$n.json --csv-dir out$n --compat=tracelens -q
    cut -d, -f 1-26 out$n/InferenceAttention_fwd.csv
done
