i=0
while [ $i -lt 24 ]; do
    {
        echo 'Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name'
        awk -v n=$((i % 4 * 4000 + 1)) 'BEGIN { for (k = 1; k <= n; k++) printf "0.0,%d,1,1.0,1.0,1,1,0.0,kernel_%d\n", k, k }'
    } >"run$i.csv"
    i=$((i + 1))
done
# shellcheck disable=SC2012
"$ANALYZER" run $(ls run*.csv | sort -V) -j 8 --format text --opt num_of_iters=1 >a
echo "$?"
# shellcheck disable=SC2012
"$ANALYZER" run $(ls run*.csv | sort -V) -j 1 --format text --opt num_of_iters=1 >b
cmp a b
grep '=' a
