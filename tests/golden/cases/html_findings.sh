# Findings of a page that are no lines of the verdict: equal advice once, the others folded below it; names in words; a place
# for the buttons in each.
"$ANALYZER" run "$SRC/example/pytorch/train_step.json" -q --format html -o .
sed -n '/id="top-findings"/,/<\/section>/p' train_step_perf_report.html >part
grep -o '<strong>[a-z_ ]*</strong>\|and [0-9]* similar' part
echo "$(grep -o .class=\"finders\". part | wc -l) findings, $(grep -o .class=\"advice\". part | wc -l) with advice"
# Several findings of one problem and place, which are one line of the verdict, are not repeated.
"$ANALYZER" run "$SRC/tests/data/recorded/layers.pt.trace.json.gz" -q --format html -o .
sed -n '/id="top-findings"/,/<\/section>/p' layers_perf_report.html | sed 's/<[^>]*>/ /g' | grep -o "[a-zA-Z, -]*: [0-9]* gap[^<]*" | tr -s ' '
"$ANALYZER" run "$SRC/tests/data/recorded/layers.pt.trace.json.gz" --color=never | grep -o "[a-zA-Z, -]*: [0-9]* gap.*"
# The axis of the timeline counts from the start of the recording, as the tables do.
grep -o '"span":[0-9]*,"begin":[0-9]*' train_step_perf_report.html
"$ANALYZER" query "$SRC/example/pytorch/train_step.json" "SELECT min(start_ns) - (SELECT min(start_ns) FROM ranges) AS begin FROM copies" --format csv
