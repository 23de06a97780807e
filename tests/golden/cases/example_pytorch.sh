# The PyTorch example: the committed traces are what their generator writes; text, workbooks, and the tables of each.
mkdir made
"$PYTHON" "$SRC/tests/gen/make_pytorch_examples.py" made || exit 99
cmp made/train_step.json "$SRC/example/pytorch/train_step.json"
cmp made/train_step_pageable.json "$SRC/example/pytorch/train_step_pageable.json"
cmp made/inference.json "$SRC/example/pytorch/inference.json"
"$ANALYZER" --config="$SRC/example/pytorch.json" -o out --format text,xlsx,csv
rc=$?
ls out
ls out/*/ 2>/dev/null
cat out/*/steps_by_phase.csv
exit $rc
