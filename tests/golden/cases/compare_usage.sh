# What is wrong is said before anything is read.
mkdir a b
printf 'type,time ms\nbusy_time,1\n' | tee a/gpu_timeline.csv >b/gpu_timeline.csv
try() {
    "$ANALYZER" compare "$@" 2>&1
    echo "$?"
}
try
try a
try a b --names x
try a b --baseline c
try a b --sheets gpu_timelin
try a b --sheets gpu_timeline,kern_sum -q
try a b --no-such
try a b --format pdf
cat >c.json <<'JSON'
{ "inputs": [ { "title": "first", "path": "a" }, { "title": "second", "path": "b" } ] }
JSON
try --config=c.json first secnd
try --config=c.json first -o a
for text in '[]' '{"inputs": "first"}' '{"inputs": ["first", "secnd"]}' '{"inputs": []}' '{"names": ["x"]}' '{"basline": "best"}' \
    '{"normalize": 1}' '{"outputs": {"formats": ["pdf"]}}' '{"tables": [5]}'; do
    sed "s|\] }\$|], \"compare\": $text }|" c.json >d.json
    "$ANALYZER" --config=d.json 2>&1
    echo "$?"
done
# more than can be compared
try $(for _ in 1 2 3 4 5 6 7 8; do echo a a a a a a a a; done) a
# an output of the comparison may not be an input, nor another's output
mkdir out
"$ANALYZER" compare a b --csv-dir a
echo "$?"
cat a/gpu_timeline.csv
