# Forty nights of example/nightly: which pass, and what they leave.
. "$SRC/tests/golden/gate_inputs.sh"
HOSTNAME=node1 sh "$SRC/example/nightly/run.sh" out | grep '^night' | tee nights | cut -d: -f1-2 | cut -c1-40
echo "exit status $?"
echo "== all kernels slower, and one family"
grep -E '^night (11|18):' nights
echo "== a drift of all has one first run"
grep -E '^night (38|40):' nights
ls out/night
ls out/*.html
analyzer history list --db out/nightly.sqlite | wc -l
echo "== outliers and the regression that recovered, in hindsight"
analyzer history list --db out/nightly.sqlite | sed -n '/Outliers/p; /^ *1[06] /p'
analyzer history trend "key_* / *" --db out/nightly.sqlite | sed -n '/ recovered: /,/^$/p; / outlier /p; /^  1[67] .*fail/p'
