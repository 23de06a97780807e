# Every tool of the server over two inputs, what it refuses, pages of rows, and what is no request.
cp "$SRC/example/pytorch/train_step.json" a.json
sed 's/cublas"/cublas_v2"/g' a.json >b.json
"$PYTHON" - >session <<'P'
import json

n = 0
base = round(1000 * min(e["ts"] for e in json.load(open("a.json"))["traceEvents"] if e["ph"] == "X"))


def say(method, **params):
    global n
    n += 1
    print(json.dumps({"jsonrpc": "2.0", "id": n, "method": method, **({"params": params} if params else {})}))


def tool(which, **arguments):
    say("tools/call", name=which, arguments=arguments)


say("initialize", protocolVersion="2024-11-05")
tool("inputs")
tool("verdict")
tool("verdict", input="a")
tool("verdict", input="c")
tool("tables", limit=3)
tool("tables", offset=3, limit=2)
tool("tables", offset=-1)
tool("tables", limit=0)
tool("describe", table="gaps")
tool("describe", table="none")
tool("describe")
tool("table", table="steps")
tool("table", table="kernels", columns=["name", "dur_ns"], order="-dur_ns", limit=2)
tool("table", table="kernels", columns=["name", "dur_ns"], order="dur_ns", offset=1, limit=2)
tool("table", table="kernels", columns=["none"])
tool("table", table="kernels", columns=[], limit=1)
tool("table", table="kernels", columns=["id"], filter={"name": "*sm90*", "input": "a", "op": None, "device": 0})
tool("table", table="kernels", columns=["id"], filter={"name": "nothing", "dur_ns": 1.5})
tool("table", table="kernels", filter={"none": 1})
tool("table", table="copies", order="none")
tool("query", sql="SELECT input, count(*) AS n FROM kernels GROUP BY input ORDER BY input")
tool("query", sql="SELECT id FROM kernels", limit=2, offset=4)
tool("query", sql="SELEC")
tool("query", sql="SELECT 1; SELECT 2")
tool("window", start_ns=base, end_ns=base + 60000, limit=4)
tool("window", start_ns=base + 60000, end_ns=base + 60001)
tool("window", start_ns=5)
tool("window", start_ns=9, end_ns=5)
tool("kernel", name="Memcpy HtoD (Pinned -> Device)")
tool("kernel", name="void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<c10::BFloat16, float>(int, float, c10::BFloat16 const*)")
tool("kernel", name="none")
tool("compare", baseline="a", variant="b")
tool("compare", baseline="a", variant="c")
tool("compare", baseline="a", variant="a")
tool("gate", baseline="a", candidate="b")
tool("gate", baseline="c", candidate="b")
tool("reload")
tool("none")
tool("verdict", input=1)
tool("verdict", other="a")
say("resources/read", uri="analyzer://a/gpu_timeline")
say("resources/read", uri="analyzer://a/none")
say("resources/read", uri="file:///etc/passwd")
say("resources/templates/list")
say("prompts/list")
say("ping")
print('{"jsonrpc":"1.0","id":100,"method":"ping"}')
print('{"jsonrpc":"2.0","id":null,"method":"ping"}')
print('{"jsonrpc":"2.0","id":[1],"method":"ping"}')
print('{"jsonrpc":"2.0","id":102}')
print('[{"jsonrpc":"2.0","id":103,"method":"ping"},{"jsonrpc":"2.0","id":104,"method":"ping"}]')
print('[]')
print('{"jsonrpc":"2.0","id":105,"method":"ping"')
print('')
print('7')
P
"$ANALYZER" serve a.json b.json <session | cut -c 1-1500
