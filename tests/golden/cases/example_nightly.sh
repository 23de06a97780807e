# Two nights of example/nightly; what they leave.
. "$SRC/tests/golden/gate_inputs.sh"
SOURCE_DATE_EPOCH=1769824800 HOSTNAME=node1 sh "$SRC/example/nightly/run.sh" out
echo "exit status $?"
ls out out/1 out/2
analyzer history list --db out/nightly.sqlite
