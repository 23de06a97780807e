# The XPlane example: the committed profiles are what their generator writes; text, workbooks, and the tables of each.
"$PYTHON" "$SRC/tests/gen/make_xplane_example.py" --dir made || exit 99
diff -r made "$SRC/example/xplane"
"$ANALYZER" --config="$SRC/example/xplane.json" -o out --format text,xlsx,csv
rc=$?
ls out
ls out/*/ 2>/dev/null
exit $rc
