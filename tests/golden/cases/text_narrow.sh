# On a narrow screen the text stays that tells kernels of one name apart, here what launched them.
COLUMNS=80 "$ANALYZER" run "$SRC/example/pytorch/inference.json" | sed -n '/^Kernels by/,/more rows/p'
