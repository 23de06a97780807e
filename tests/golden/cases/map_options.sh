# Options of map and reduce, each with what it prints and writes; which parts are up to date; which files of folders and
# lists are traces; what merging parts reports.
exec 2>&1
"$PYTHON" "$SRC/tests/gen/make_ranks.py" "run/rank_{rank}.json" --ranks 3 --steps 3 --layers 1 --slow 1 || exit 99
touch -d '2020-01-01 00:00:00' run/*.json
unset COLUMNS
call() { # a command with its output and exit status; ids of parts replaced
    echo "== $*" >got
    "$ANALYZER" "$@" >>got 2>&1
    echo "exit $?" >>got
    sed "s/-[0-9a-f]\{8\}\.part/-ID.part/g" got
}
parts() { # the parts of folders
    find "$@" -type f | sort | sed 's/-[0-9a-f]\{8\}\.part/-ID.part/'
}
sums() { # of the parts of a folder, without their names
    cat "$1"/*.part | cksum
}
call map
call map --files ''
call map run --none
call map run -o ''
call map run/none*.json
call map empty
mkdir empty && call map empty
call map run --dry-run -o none
ls -d none
printf '\n  run/rank_2.json \r\n\nrun/rank_0.json\nrun/rank_2.json' >list
call map --files list --dry-run
call map --files list run/rank_1.json --dry-run
call map --files missing --dry-run
call map run -v -o one
parts one
echo "-- up to date; one of them new, of another size, with other options; all"
call map run -v -o one
printf '\n' >>run/rank_1.json
touch -d '2020-01-01 00:00:00' run/rank_1.json
call map run -v -o one
sed 's/"name"/"nome"/' run/rank_1.json >other && mv other run/rank_1.json
touch -d '2020-01-01 00:00:00' run/rank_1.json
call map run -v -o one
touch -d '2099-01-01 00:00:00' run/rank_0.json
call map run -v -o one
touch -d '2020-01-01 00:00:00' run/rank_0.json
"$PYTHON" "$SRC/tests/gen/make_ranks.py" "run/rank_{rank}.json" --ranks 3 --steps 3 --layers 1 --slow 1 || exit 99
touch -d '2020-01-01 00:00:00' run/*.json
call map run -v -o one --opt strict=true
call map run -v -o one --opt none=1
call map run -v -o one --steps 0-1
call map run -v -o one --steps 7
call map run -v -o one --from 0.1ms
call map run -v -o one --to 90%
call map run -v -o one
call map run -v -o one --force
call map run -q -o one --force
call map run -o one --force --color=always --progress=never -j 1
call map run -o one --force --memory-limit 1K
call map run -o one --memory-limit 1X
call map run -o one -j x
call map run -o one --set inputs.1=2
call map run -o one --opt topk_ops=x
echo "-- names with a tag; timelines"
call map run -o tagged --tag node7 -v
parts tagged
call map run -o drawn --draw -j 1
call map run -o plain -j 1
[ "$(sums drawn)" != "$(sums plain)" ] && echo "with a timeline the parts differ"
[ "$(cat drawn/*.part | wc -c)" -gt "$(cat plain/*.part | wc -c)" ] && echo "and are larger"
[ "$(ls tagged)" != "$(ls plain)" ] && [ "$(sums tagged)" = "$(sums plain)" ] && echo "a tag changes the names alone"
call map run -o tagged --tag node7 -v
call map run -o tagged --tag node8 -v
call map run -o again -j 3
[ "$(sums again)" = "$(sums plain)" ] && echo "any number of threads gives the same parts"
call reduce drawn -q --format html -o page1
call reduce plain -q --format html -o page2
grep -c 'id="timeline"' page1/*.html page2/*.html
echo "-- files of a folder"
mkdir -p mixed/sub
cp run/rank_0.json mixed/rank_0.json
cp run/rank_1.json mixed/sub/rank_1.json
printf 'no trace' >mixed/rank_2.json
printf '{"lr": 0.1}' >mixed/config.json
printf 'notes' >mixed/notes.txt
cp plain/rank_2* mixed/
ln -s missing.json mixed/rank_7.json
mkfifo mixed/rank_8.json
"$ANALYZER" run run/rank_0.json -q --format json,sqlite -o saved
cp saved/*.json saved/*.sqlite mixed/
cp "$SRC/tests/data/nsys/tiny_cuda_gpu_kern_sum.csv" mixed/
call map mixed --dry-run
call map mixed/config.json mixed/notes.txt --dry-run
call map "$SRC/tests/data/nsys/tiny_cuda_gpu_kern_sum.csv" --dry-run
call map mixed -o failed -v
call map mixed/rank_0.json gone.json -o gone -v
call reduce gone -q
call map mixed/rank_0.json -o file/of/parts -q
printf 'x' >blocked
call map mixed/rank_0.json -o blocked
call map mixed/rank_0.json -o blocked/parts
echo "-- reduce"
call reduce
call reduce plain --none
call reduce empty
call reduce plain --expect ''
call reduce plain -o ''
call reduce plain --partial
call reduce plain --partial -o merged.part -v
call reduce plain/rank_0* plain/rank_0* --partial -o once.part
cmp once.part plain/rank_0*.part && echo "named twice, there once"
call reduce plain run/rank_0.json --partial -o both.part
ls both.part
call reduce plain missing.part --partial -o both.part
printf 'run/rank_0.json\nrun/rank_3.json\n' >expected
call reduce plain --expect expected --partial -o both.part
call reduce plain --expect missing -q
cp -r plain damaged
for p in damaged/rank_1*; do
    head -c 2000 "$p" >short && mv short "$p"
done
call reduce damaged --partial -o both.part
call reduce damaged -q --csv-dir damaged_csvs
sed 's/-[0-9a-f]\{8\}\.part/-ID.part/g' damaged_csvs/ranks.csv
call reduce both.part -q --csv-dir both_csvs
sed 's/-[0-9a-f]\{8\}\.part/-ID.part/g' both_csvs/ranks.csv
call reduce plain --partial -o missing/merged.part
call reduce plain "$SRC/tests/data/nsys/tiny_cuda_gpu_kern_sum.csv" -q
call reduce plain --strict -q --csv-dir strict_csvs
call reduce damaged --strict -q --csv-dir strict_csvs
for name in -q '' -v -vv; do
    # shellcheck disable=SC2086 # no argument
    "$ANALYZER" reduce plain $name -j 1 >text 2>&1 || echo "exit $?"
    echo "$name: $(grep -c '^[a-z_]*:\|^[A-Z].*:$\|^=' text)"
done
call reduce plain -q --xlsx book.xlsx
call reduce plain -q -o named --format json
call reduce plain -q --format xlsx
find named plain -name '*report*' | sort
