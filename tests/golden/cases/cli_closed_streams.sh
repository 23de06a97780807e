# A closed stream is no place for a report: its number must not go to a file that is written.
cp "$SRC"/tests/data/nsys/tiny_cuda_gpu_kern_sum.csv .
{
    echo '{ "inputs": ['
    for i in 1 2 3 4 5 6 7 8; do
        echo '{ "format": "csv", "title": "t'$i'", "path": "tiny_cuda_gpu_kern_sum.csv", "analysis_args": { "num_of_iters": 1 } },'
    done
    echo '] }'
} >c.json
"$ANALYZER" --config=c.json --csv-dir open --format text,csv >text
echo "$?"
"$ANALYZER" --config=c.json --csv-dir out --format text,csv -j 2 >&-
echo "$?"
diff -r open out && rm -r out
"$ANALYZER" --config=c.json --csv-dir out --format text,csv -j 2 -vv 2>&- >text
echo "$?"
diff -r open out && rm -r out
"$ANALYZER" run - --csv-dir out <&-
echo "$?"
