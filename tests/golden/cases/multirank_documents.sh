# JSON among the ranks that is no trace and has no rank in its name is passed over with a warning; what has a rank in its
# name, or looks like a damaged trace, fails.
mkdir -p run/sub only
cp "$SRC"/example/multirank/step_120/rank_[0-3].json run/
printf '{"lr": 0.1}\n' >run/config.json
"$PYTHON" -c 'import json
json.dump({"vocab": {"word %d" % i: i for i in range(20000)}}, open("run/sub/tokenizer.json", "w"))'
cp run/config.json only/
report() { rm -rf out; { "$ANALYZER" multirank -b "$1" -o out >/dev/null; } 2>&1 || echo "exit status $?"; }
report run
report only
echo "== damaged"
: >run/last.json
report run
printf '{"lr": ' >run/last.json
report run
printf '{"schemaVersion": 1, "traceEvents": [{"ph": "X", "na' >run/last.json
report run
mv run/config.json run/rank_4.json
rm run/last.json
report run
