# A comment on a pull request: at most 30 lines, also where much changed; names from files are escaped.
"$ANALYZER" "$SRC/example/pytorch/train_step.json" -q --format json -o base
"$ANALYZER" gate base/train_step_perf_report.json "$SRC/example/pytorch/train_step_pageable.json" -q --format github-comment -o out
echo "exit $?"
cat out/gates.comment.md
"$ANALYZER" gate base/train_step_perf_report.json "$SRC/example/pytorch/inference.json" -q --format github-comment -o other
echo "exit $?"
cat other/gates.comment.md
sed 's/layer_norm_grad_input_kernel/a|b<details>/g; s/"dur": \([0-9]\)/"dur": 4\1/g' "$SRC/example/pytorch/train_step.json" >slow.json
"$ANALYZER" gate base/train_step_perf_report.json slow.json -q --format github-comment -o slow
echo "exit $?, $(wc -l <slow/gates.comment.md) lines"
grep -c '<details>' slow/gates.comment.md
