# The committed CSVs of the example are what the generator writes.
"$PYTHON" "$SRC/tests/gen/make_example_nsys.py" --csv nsys && diff -r nsys "$SRC/example/nsys" && echo same
