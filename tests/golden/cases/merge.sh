# Traces of ranks as one file: valid JSON, ids apart, all else as it was; damaged ranks; wrong use.
rank() { # rank, pid
    cat <<JSON
{"schemaVersion":1,"distributedInfo":{"rank":$1,"world_size":3},"displayTimeUnit":"ms","baseTimeNanoseconds":7,"traceEvents":[
{"ph":"M","name":"process_name","pid":$2,"tid":0,"ts":1.0,"args":{"name":"python3"}},
{"ph":"M","name":"thread_name","pid":$2,"tid":5,"ts":1.0,"args":{"name":"thread 5"}},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":$2,"tid":5,"ts":1419247333430.8490,"dur":2.50,"args":{"correlation":77,"External id":3}},
{"ph":"s","id":77,"pid":$2,"tid":5,"ts":2.0,"cat":"ac2g","name":"ac2g"},
{"ph":"X","cat":"python_function","name":"train.py(7): step","pid":$2,"tid":5,"ts":2.0,"dur":1},
{"ph":"X","cat":"kernel","name":"gemm \u00e9 ü","pid":0,"tid":7,"ts":1e3,"dur":4.0,"args":{"correlation":77,"grid":[1, 2, 3]}}
]}
JSON
}
mkdir run
rank 0 10 >run/rank_0.json
rank 1 123456 >run/rank_1.json
rank 2 12 | gzip -n >run/rank_2.json.gz
"$ANALYZER" merge -o all.json -b run
echo "exit $?"
gzip -dc all.json.gz
cat >check.py <<'PY'
import glob, gzip, json, sys
merged = json.load(gzip.open(sys.argv[1], "rt", encoding="utf-8"))
owner, ranks = {}, {}
for e in merged["traceEvents"]:
    ranks.setdefault(e["args"]["rank"], []).append(e)
    for key in ("pid", "id"):
        if key in e:
            assert owner.setdefault((key, e[key]), e["args"]["rank"]) == e["args"]["rank"], e
    if "correlation" in e["args"]:
        assert owner.setdefault(("c", e["args"]["correlation"]), e["args"]["rank"]) == e["args"]["rank"], e
for f in sys.argv[2:]:
    t = json.load((gzip.open if f.endswith(".gz") else open)(f, "rt", encoding="utf-8"))
    rank = t["distributedInfo"]["rank"]
    was = [e for e in t["traceEvents"] if e["name"] != "process_name" and e.get("cat") != "python_function"]
    now = [e for e in ranks[rank] if not e["name"].startswith("process_")]
    for e in now:
        for key in ("pid", "id"):
            if key in e:
                e[key] = e.pop(key + "_raw")
        assert e["args"].pop("rank") == rank
        if "correlation" in e["args"]:
            e["args"]["correlation"] = e["args"].pop("correlation_raw")
        if not e["args"]:
            del e["args"]
    assert was == now, (was, now)
print("%d events, all as they were" % len(merged["traceEvents"]))
PY
"$PYTHON" check.py all.json.gz run/*
"$ANALYZER" merge -q -o again.json.gz run/rank_2.json.gz run/rank_0.json run/rank_1.json && cmp all.json.gz again.json.gz && echo "the order of the files does not matter"
"$ANALYZER" merge -o some.json.gz -b run --category kernel,ac2g --name gemm
"$ANALYZER" merge -o some.json.gz -b run --keep-python -q && gzip -dc some.json.gz | grep -c python_function
echo "== a rank that breaks off, one that is none"
head -c 700 run/rank_1.json >run/cut.json && mv run/cut.json run/rank_1.json
: >run/rank_3.json
"$ANALYZER" merge -o cut.json run/rank_0.json run/rank_1.json run/rank_3.json
echo "exit $?"
"$PYTHON" -c "import gzip, json; print(len(json.load(gzip.open('cut.json.gz'))['traceEvents']), 'events')"
rank 2 12 | gzip -n | head -c 300 >run/rank_2.json.gz
"$ANALYZER" merge -o cut.json -b run -q 2>err
echo "exit $?"
sed -e 's/:+[0-9]*:/:/' -e 's/the [0-9]* events/the events/' err # where it breaks depends on who compressed it
echo "== wrong use"
"$ANALYZER" merge run/rank_0.json
echo "exit $?"
"$ANALYZER" merge -o x.json
echo "exit $?"
cp run/rank_0.json run/copy.json
"$ANALYZER" merge -o x.json run/rank_0.json run/copy.json
echo "exit $?"
gzip -c run/rank_0.json >in.json.gz
"$ANALYZER" merge -o in.json in.json.gz
echo "exit $?"
"$ANALYZER" merge -o x.json none.json
echo "exit $?"
mkdir empty
"$ANALYZER" merge -o x.json -b empty
echo "exit $?"
ls x.json.gz 2>/dev/null || echo "nothing was written"
