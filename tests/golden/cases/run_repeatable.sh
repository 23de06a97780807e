cp "$SRC"/tests/data/nsys/tiny_*.csv .
"$ANALYZER" run tiny_*.csv --opt num_of_iters=2 --format xlsx,json,csv -o a
mkdir elsewhere
cd elsewhere || exit 1
cp ../tiny_*.csv .
sleep 1
"$ANALYZER" run tiny_*.csv --opt num_of_iters=2 --format xlsx,json,csv -o ../b -j 4
cd ..
diff -r a b && echo equal
