#!/usr/bin/env python3
"""The server as a client sees it: every method and tool by plain JSON-RPC, errors of the protocol, bounds of answers, a
statement that is canceled, files that change, a socket, how it ends, memory over many calls; then the same by the public client
library of the protocol from npm (@modelcontextprotocol/sdk), where npm is installed and can fetch it.

    serve_check.py --analyzer FILE [--calls N] [--without-npm]
The last line is "N passed, N failed".
"""
import argparse
import json
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time

from check_lib import Checks

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TRAIN = os.path.join(ROOT, "example", "pytorch", "train_step.json")
INFERENCE = os.path.join(ROOT, "example", "pytorch", "inference.json")
ENDLESS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c"
SDK = "@modelcontextprotocol/sdk@1"
CLIENT = """
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
const transport = new StdioClientTransport({ command: process.argv[2], args: ["serve", ...process.argv.slice(3)] });
const client = new Client({ name: "check", version: "1.0.0" }, { capabilities: {} });
await client.connect(transport);
await client.ping();
const out = { server: client.getServerVersion(), tools: (await client.listTools()).tools.map((t) => t.name) };
const resources = (await client.listResources()).resources;
out.resources = resources.length;
out.read = JSON.parse((await client.readResource({ uri: resources[0].uri })).contents[0].text).columns.length;
const call = async (name, args) => JSON.parse((await client.callTool({ name, arguments: args })).content[0].text);
out.kernels = (await call("query", { sql: "SELECT count(*) FROM kernels" })).rows[0][0];
out.verdict = (await call("verdict", { input: "train_step" })).verdict.rows.length;
out.wrong = (await client.callTool({ name: "query", arguments: { sql: "DROP TABLE x" } })).isError;
try { await client.callTool({ name: "no such tool", arguments: {} }); } catch (e) { out.unknown = e.code; }
await client.close();
console.log(JSON.stringify(out));
"""


class Server:
    def __init__(self, analyzer, *args):
        self.p = subprocess.Popen([analyzer, "serve", "-q"] + list(args), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL)
        self.n = 0

    def send(self, line):
        self.p.stdin.write(line.encode() + b"\n")
        self.p.stdin.flush()

    def read(self):
        return json.loads(self.p.stdout.readline())

    def ask(self, method, params=None, **more):
        self.n += 1
        self.send(json.dumps(dict({"jsonrpc": "2.0", "id": self.n, "method": method}, **({"params": params} if params is not None else {}), **more)))
        answer = self.read()
        assert answer["id"] == self.n and answer["jsonrpc"] == "2.0", answer
        return answer

    def tool(self, called, **args):
        r = self.ask("tools/call", {"name": called, "arguments": args})["result"]
        text = r["content"][0]["text"]
        return text if r["isError"] else json.loads(text)

    def end(self):
        self.p.stdin.close()
        return self.p.wait(timeout=30)


def check_groups(c, s, k, name):
    """The parts of the tool `kernel` are what GROUP BY gives."""
    for part, by in (("times", "input, rank, class, family"), ("launchers", "op_name, scope"),
                     ("shapes", "grid_x, grid_y, grid_z, block_x, block_y, block_z, registers, shared_bytes")):
        rows = s.tool("query", sql="SELECT %s, count(*) AS n, sum(dur_ns) AS sum_ns, min(dur_ns), max(dur_ns), avg(dur_ns) FROM kernels WHERE "
                      "name = '%s' AND coalesce(%s) IS NOT NULL GROUP BY %s ORDER BY sum_ns DESC LIMIT 10" % (by, name.replace("'", "''"), by, by))["rows"]
        c.hold(sorted(map(str, rows)) == sorted(map(str, k[part]["rows"][:10])), "groups of a kernel: " + part, (rows, k[part]["rows"]))


def check_methods(c, a):
    s = Server(a, TRAIN, INFERENCE)
    r = s.ask("initialize", {"protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}})["result"]
    c.hold(r["protocolVersion"] == "2025-03-26" and r["serverInfo"]["name"] == "analyzer" and "tools" in r["capabilities"], "initialize", r)
    r = s.ask("initialize", {"protocolVersion": "1999-01-01"})["result"]
    c.hold(r["protocolVersion"] == "2025-06-18", "an unknown version is answered by a known one", r)
    s.send('{"jsonrpc":"2.0","method":"notifications/initialized"}')
    c.hold(s.ask("ping")["result"] == {}, "ping")
    tools = s.ask("tools/list")["result"]["tools"]
    c.hold([t["name"] for t in tools] == ["inputs", "verdict", "tables", "describe", "table", "query", "window", "kernel", "compare", "gate", "reload"] and
           all(t["inputSchema"]["type"] == "object" and t["description"] for t in tools), "tools/list", tools)
    resources = s.ask("resources/list")["result"]["resources"]
    c.hold(len(resources) > 20 and resources[0]["uri"] == "analyzer://train_step/verdict", "resources/list", resources[:1])
    read = s.ask("resources/read", {"uri": "analyzer://train_step/gpu_timeline"})["result"]["contents"][0]
    c.hold(json.loads(read["text"])["rows"][0][0] == "computation_time", "resources/read", read)
    c.hold(s.ask("resources/templates/list")["result"] == {"resourceTemplates": []}, "resources/templates/list")

    c.hold([i["input"] for i in s.tool("inputs")["inputs"]] == ["train_step", "inference"], "inputs")
    v = s.tool("verdict", input="train_step")
    c.hold(v["verdict"]["rows"][0][0] == "what" and v["findings"]["rows"], "verdict", v)
    c.hold("titles" in s.tool("verdict") or "no input" in s.tool("verdict"), "verdict of which of two inputs")
    c.hold(["kernels", "fact"] == s.tool("tables")["rows"][0][:2], "tables")
    c.hold(["dur_ns", "integer", "ns"] in [r[:3] for r in s.tool("describe", table="kernels")["rows"]], "describe")
    t = s.tool("table", table="kernels", columns=["id", "dur_ns"], filter={"name": "*gemm*", "input": "train_step"}, order="-dur_ns", limit=2)
    c.hold(t["columns"] == ["id", "dur_ns"] and len(t["rows"]) == 2 and t["rows"][0][1] >= t["rows"][1][1] and t["cut"] and "offset 2" in t["more"], "table", t)
    u = s.tool("table", table="kernels", columns=["id", "dur_ns"], filter={"name": "*gemm*", "input": "train_step"}, order="-dur_ns", limit=2, offset=2)
    c.hold(u["first_row"] == 2 and u["rows"] and u["rows"][0] not in t["rows"], "table from an offset", u)
    whole = s.tool("query", sql="SELECT id FROM kernels ORDER BY id", limit=1000)
    c.hold(not whole["cut"] and len(whole["rows"]) == s.tool("query", sql="SELECT count(*) FROM kernels")["rows"][0][0], "query", whole["cut"])
    start = s.tool("query", sql="SELECT min(start_ns), max(end_ns) FROM kernels WHERE input = 'train_step'")["rows"][0]
    w = s.tool("window", start_ns=start[0], end_ns=start[0] + 100000)
    c.hold({"kernel", "op"} <= {r[0] for r in w["rows"]} and all(r[5] >= start[0] and r[4] <= start[0] + 100000 for r in w["rows"]), "window", w)
    name = s.tool("query", sql="SELECT name FROM kernels WHERE input = 'train_step' LIMIT 1")["rows"][0][0]
    k = s.tool("kernel", name=name)
    times = dict(zip(k["times"]["columns"], k["times"]["rows"][0]))
    c.hold(times["n"] > 0 and k["launchers"]["rows"] and k["slowest"]["rows"][0][2] == times["max_ns"], "kernel", k)
    check_groups(c, s, k, name)
    c.hold("no kernel 'xyz'" in s.tool("kernel", name="xyz"), "kernel that is not there")
    d = s.tool("compare", baseline="train_step", variant="inference")
    what = d["verdict"]["rows"][0] # steps of different sources
    c.hold(what[0] == "what" and "not comparable: different kinds of steps, ProfilerStep in the baseline" in what[2], "compare", d)
    g = s.tool("gate", baseline="train_step", candidate="train_step")
    c.hold(g["verdict"] == "pass" and g["rows"], "gate of an input against itself", g)
    for args in ({"name": "query", "arguments": {"sql": "DELETE FROM kernels"}}, {"name": "query", "arguments": {"sql": 5}}, {"name": "query", "arguments": {}},
                 {"name": "table", "arguments": {"table": "x; DROP TABLE y"}}, {"name": "table", "arguments": {"table": "kernels", "order": "1 --"}},
                 {"name": "table", "arguments": {"table": "kernels", "columns": [3]}}, {"name": "window", "arguments": {"start_ns": 5, "end_ns": 1}},
                 {"name": "compare", "arguments": {"baseline": "train_step", "variant": "x"}}, {"name": "table", "arguments": {"table": "kernels", "limit": 0}}):
        r = s.ask("tools/call", args)
        c.hold(r.get("result", {}).get("isError") is True and r["result"]["content"][0]["text"], "a wrong call is a result with an error: %s" % json.dumps(args), r)
    c.hold(s.end() == 0, "the end of the input ends the server")


def check_errors(c, a):
    s = Server(a, TRAIN)
    for line, code in (("nonsense", -32700), ('{"jsonrpc":"2.0","id":1', -32700), ("[]", -32600), ('"x"', -32600), ('{"id":1,"method":"ping"}', -32600),
                       ('{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600), ('{"jsonrpc":"2.0","id":1}', -32600), ('{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600),
                       ('{"jsonrpc":"2.0","id":1,"method":"x"}', -32601), ('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}', -32602),
                       ('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}', -32602), ('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}', -32602),
                       ('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"query","arguments":[]}}', -32602),
                       ('{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"analyzer://x/y"}}', -32002),
                       ('{"jsonrpc":"2.0","id":1,"method":"resources/list","params":{"cursor":"x"}}', -32602), ("[" * 100 + "]" * 100, -32700),
                       ('{"a":"\x01"}', -32700), ("x" * (5 << 20), -32600)):
        s.send(line)
        r = s.read()
        c.hold(r.get("error", {}).get("code") == code, "error %d of %s" % (code, line[:60]), str(r)[:200])
    s.send('{"jsonrpc":"2.0","method":"no/such/notification"}')
    s.send("")
    s.send('{"jsonrpc":"2.0","id":77,"result":{}}')
    c.hold(s.ask("ping")["result"] == {}, "notifications, empty lines and responses are not answered")
    s.send('{"jsonrpc":"2.0","id":"a \\"t\\u00e9","method":"ping"}')
    c.hold(s.read()["id"] == 'a "t\u00e9', "an id that is a text comes back")
    c.hold(s.end() == 0, "it ends well after all that")


def check_limits(c, a):
    s = Server(a, TRAIN, "--max-bytes", "2K", "--timeout", "0.5")
    t = s.tool("query", sql="SELECT * FROM kernels", limit=1000)
    c.hold(t["cut"] and 0 < len(t["rows"]) < 20 and "offset %d" % len(t["rows"]) in t["more"], "an answer has about so many bytes", str(t)[:200])
    rows, offset = [], 0
    while True:
        t = s.tool("query", sql="SELECT id FROM kernels ORDER BY id", limit=7, offset=offset)
        rows += t["rows"]
        offset += len(t["rows"])
        if not t["cut"]:
            break
    c.hold([r[0] for r in rows] == list(range(1, len(rows) + 1)) and len(rows) == 58, "pages have every row once", len(rows))
    begin = time.monotonic()
    c.hold("0.5 s" in s.tool("query", sql=ENDLESS) and time.monotonic() - begin < 20, "a statement has a limit of time")
    s.end()
    s = Server(a, TRAIN)
    s.ask("ping")
    begin = time.monotonic()
    s.send(json.dumps({"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": {"name": "query", "arguments": {"sql": ENDLESS}}}))
    time.sleep(0.5)
    s.send('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}}')
    r = s.read()
    c.hold(r["result"]["isError"] and time.monotonic() - begin < 15 and s.ask("ping")["result"] == {}, "a request is canceled", r)
    s.send(json.dumps({"jsonrpc": "2.0", "id": 10, "method": "tools/call", "params": {"name": "query", "arguments": {"sql": ENDLESS}}}))
    time.sleep(0.5)
    s.p.send_signal(signal.SIGTERM)
    c.hold(s.p.wait(timeout=20) == 0, "SIGTERM ends the server, whatever it is at")


def check_reload(c, a):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "trace.json")
        shutil.copy(TRAIN, path)
        s = Server(a, path)
        n = s.tool("query", sql="SELECT count(*) FROM kernels")
        c.hold("changed_inputs" not in n, "a file that is as it was", n)
        shutil.copy(INFERENCE, path)
        m = s.tool("query", sql="SELECT count(*) FROM kernels")
        c.hold(m["rows"] == n["rows"] and m["changed_inputs"] == ["trace"], "a file that has changed is noticed", m)
        r = s.tool("reload")
        m = s.tool("query", sql="SELECT count(*) FROM kernels")
        c.hold(r["inputs"][0]["changed"] is False and m["rows"] != n["rows"] and "changed_inputs" not in m, "and read again on request", m)
        os.remove(path)
        c.hold(isinstance(s.tool("reload"), str) and isinstance(s.tool("query", sql="SELECT 1"), str), "a file that is gone is an error, not an end")
        shutil.copy(TRAIN, path)
        c.hold(isinstance(s.tool("reload"), dict) and s.tool("query", sql="SELECT count(*) FROM kernels")["rows"] == n["rows"], "and comes back")
        c.hold(s.end() == 0, "it ends well")


def check_socket(c, a):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "s")
        p = subprocess.Popen([a, "serve", "-q", TRAIN, "--socket", path], stderr=subprocess.DEVNULL)
        for _ in range(200):
            if os.path.exists(path):
                break
            time.sleep(0.05)
        c.hold(stat.S_IMODE(os.stat(path).st_mode) == 0o600, "a socket is its owner's", oct(os.stat(path).st_mode))
        for i in range(2):
            with socket.socket(socket.AF_UNIX) as k:
                k.connect(path)
                k.sendall(b'{"jsonrpc":"2.0","id":%d,"method":"ping"}\n' % i)
                c.hold(json.loads(k.makefile().readline()) == {"jsonrpc": "2.0", "id": i, "result": {}}, "client %d of a socket" % i)
        p.terminate()
        c.hold(p.wait(timeout=20) == 0 and not os.path.exists(path), "SIGTERM ends it and takes the socket away")


def check_memory(c, a, calls):
    s = Server(a, TRAIN)
    rss = []
    start = s.tool("query", sql="SELECT min(start_ns) FROM kernels")["rows"][0][0]
    for i in range(calls):
        if i % 2:
            s.tool("query", sql="SELECT name, sum(dur_ns) FROM kernels GROUP BY name ORDER BY 2 DESC LIMIT %d" % (i % 9 + 1))
        else:
            s.tool("window", start_ns=start + i % 1000, end_ns=start + 100000)
        if i in (calls // 5, calls - 1):
            with open("/proc/%d/status" % s.p.pid) as f:
                rss.append([int(x.split()[1]) for x in f if x.startswith("VmRSS")][0])
    c.hold(rss[1] < rss[0] * 1.1 + 1024, "memory is flat over %d calls" % calls, rss)
    s.end()


def check_npm(c, a):
    npm = shutil.which("npm")
    if not npm or not shutil.which("node"):
        print("skipped: npm or node is not installed; the client library of the protocol is not tried")
        return
    folder = os.path.join(os.path.dirname(a), "mcp-client")
    os.makedirs(folder, exist_ok=True)
    if not os.path.isdir(os.path.join(folder, "node_modules", "@modelcontextprotocol", "sdk")):
        r = subprocess.run([npm, "install", "--no-audit", "--no-fund", "--ignore-scripts", "--silent", "--prefix", folder, SDK], capture_output=True, text=True, timeout=300, check=False)
        if r.returncode:
            print("skipped: npm cannot fetch %s (%s)" % (SDK, (r.stderr or r.stdout).strip().splitlines()[-1:]))
            return
    with open(os.path.join(folder, "client.mjs"), "w", encoding="utf-8") as f:
        f.write(CLIENT)
    r = subprocess.run(["node", os.path.join(folder, "client.mjs"), a, "-q", TRAIN, INFERENCE], capture_output=True, text=True, timeout=120, check=False)
    out = json.loads(r.stdout) if r.returncode == 0 else {}
    c.hold(r.returncode == 0 and out["server"]["name"] == "analyzer" and len(out["tools"]) == 11 and out["resources"] > 20 and out["read"] > 3 and
           out["kernels"] > 50 and out["verdict"] > 2 and out["wrong"] is True and out.get("unknown") == -32602, "the public client library", r.stdout + r.stderr)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--analyzer", default=os.path.join(ROOT, "build", "analyzer"))
    p.add_argument("--calls", type=int, default=2000)
    p.add_argument("--without-npm", action="store_true")
    a = p.parse_args()
    c = Checks(quiet=True)
    analyzer = os.path.abspath(a.analyzer)
    check_methods(c, analyzer)
    check_errors(c, analyzer)
    check_limits(c, analyzer)
    check_reload(c, analyzer)
    check_socket(c, analyzer)
    check_memory(c, analyzer, a.calls)
    if not a.without_npm:
        check_npm(c, analyzer)
    print("%d passed, %d failed" % (c.passed, c.failed))
    return 1 if c.failed else 0


if __name__ == "__main__":
    sys.exit(main())
