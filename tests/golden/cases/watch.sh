# Profiles that appear in a watched folder, one after the other, with a gate and without: every line, messages, exit status.
old=$SRC/example/pytorch/train_step.json new=$SRC/example/pytorch/train_step_pageable.json
lines() { # file, how many: waits for them
    i=0
    while [ "$(wc -l <"$1")" -lt "$2" ] && [ $i -lt 600 ]; do
        sleep 0.05
        i=$((i + 1))
    done
}
begin() { # options
    : >out
    : >err
    "$ANALYZER" --watch traces "$@" >out 2>err &
    watching=$!
    lines err 1
}
finish() {
    kill -TERM $watching
    wait $watching
    echo "exit $?"
    sed 's|@SCRATCH@||' out
    cat err
}
mkdir traces traces/old elsewhere elsewhere/deep elsewhere/deep/er
cp "$old" traces/before.json
cp "$old" elsewhere/deep/a.json
cp "$old" elsewhere/deep/er/b.json
echo "== without a baseline"
begin
cp "$old" traces/first.json
lines out 1
echo "no profile" >traces/notes.txt
printf "{]" >traces/garbage.json
cp "$old" traces/.hidden.json
head -c 2000 "$old" >traces/cut.json
lines out 2
cp "$old" traces/old/second.json
lines out 3
mv elsewhere/deep traces
lines out 5
cp "$old" traces/deep/er/third.json
lines out 6
mv traces/old/second.json traces/old/renamed.json
lines out 7
head -c 200 "$SRC/example/xplane/tpu/tpu.xplane.pb" >traces/short.xplane.pb
lines out 8
finish
rm -r traces/deep traces/*.json traces/old/*
echo "== with a baseline"
begin --baseline "$old"
cp "$old" traces/same.json
lines out 1
cp "$new" traces/slower.json
lines out 2
echo '{"traceEvents":[]}' >traces/empty.json
lines out 3
cp "$SRC/tests/data/nsys/tiny_cuda_gpu_kern_sum.csv" traces/other.csv
lines out 4
cp "$old" traces/again.json
lines out 5
finish
echo "== what cannot be watched"
"$ANALYZER" --watch nothing
echo "exit $?"
"$ANALYZER" --watch traces/again.json
echo "exit $?"
"$ANALYZER" --baseline "$old"
echo "exit $?"
echo "== lines that fit the terminal"
COLUMNS=80
export COLUMNS
begin
cp "$old" traces/one.json
lines out 5
finish
