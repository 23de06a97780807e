# Options of operation reports: names of the first version and of today, colors, messages for wrong values.
"$PYTHON" "$SRC/tests/gen/make_tracy_example.py" --out r.csv --rows 40 --faults --plain || exit 99
run() {
    echo "== $*"
    "$ANALYZER" run r.csv --format text -v "$@" 2>err
    grep -v "MB memory" err
    echo "$?"
}
run --opt signpost=iteration --opt end_signpost=iteration --opt hide_small=true --opt min_percentage=2 --opt no_summary=true
run --opt start_signpost=compile --opt id_range=6-9 --opt print_signposts=true --opt no_advice=true --opt arch=Grayskull --color always
run --opt signpost=none --opt op_rules=first --opt no_host_ops=true --opt group_by=op
run --opt ignore_signposts=true --opt no_stack_by_in0=true | tail -n +2 >by_in0
run --opt ignore_signposts=true --opt group_by=op | tail -n +2 | cmp - by_in0 && echo "no_stack_by_in0 is group_by=op"
run --opt ignore_signposts=true --opt drop_impossible=true --opt no_advice=true --opt group_by=category | grep -E 'device ops|impossible'
run --opt id_range=7
run --opt id_range=9-6
run --opt arch=gaudi
run --opt group_by=shape
"$ANALYZER" run r.csv --opt output_csvs_dir=tables >list
ls tables
