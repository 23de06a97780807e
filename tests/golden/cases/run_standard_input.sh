in=$SRC/tests/data/nsys/tiny_cuda_gpu_kern_sum.csv
"$ANALYZER" run - --opt num_of_iters=2 <"$in" >redirected
echo "$?"
cat "$in" | "$ANALYZER" run - --opt num_of_iters=2 --format text >piped
echo "$?"
gzip -c "$in" | "$ANALYZER" run - --opt num_of_iters=2 --format text >zipped
echo "$?"
cmp redirected piped
cmp redirected zipped
head -n 3 piped
ls
echo hello | "$ANALYZER" run -
echo "$?"
"$ANALYZER" run - </dev/null
echo "$?"
