# Databases beside a profile: the program's own are no matter, others without a table of a profiler are passed over with a
# warning. Named by themselves they fail as before.
mkdir mixed
cp "$SRC/example/pytorch/moe.json" mixed/
{ "$ANALYZER" run mixed/moe.json --format sqlite -o mixed -q >/dev/null; } 2>&1 || echo "exit status $?"
"$ANALYZER" run mixed/moe.json --format json -o kept -q >/dev/null
"$ANALYZER" history import kept --db mixed/history.db >/dev/null
"$PYTHON" -c 'import sqlite3
for name, table in (("runs.db", "experiments"), ("notes.sqlite", "notes"), ("ascend.db", "COMPUTE_TASK_INFO")):
    sqlite3.connect("mixed/" + name).execute("CREATE TABLE %s(id INTEGER, name TEXT)" % table)'
ls mixed
for words in "run mixed" "probe mixed" "map mixed -o parts"; do
    echo "== $words"
    # shellcheck disable=SC2086 # words
    { "$ANALYZER" $words >/dev/null; } 2>&1 || echo "exit status $?"
done
echo "== by themselves"
for path in mixed/notes.sqlite mixed/runs.db; do
    { "$ANALYZER" run "$path" >/dev/null; } 2>&1 || echo "exit status $?"
done
