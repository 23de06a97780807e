# Findings of a page that are no lines of the verdict: equal advice once, the others folded below it; names in words; a place
# for the buttons in each.
"$ANALYZER" run "$SRC/example/pytorch/train_step.json" -q --format html -o .
sed -n '/id="top-findings"/,/<\/section>/p' train_step_perf_report.html >part
grep -o '<strong>[a-z_ ]*</strong>\|and [0-9]* similar' part
echo "$(grep -o .class=\"finders\". part | wc -l) findings, $(grep -o .class=\"advice\". part | wc -l) with advice"
