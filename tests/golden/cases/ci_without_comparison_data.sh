# .ci/run without the comparison folder: an error; with the flag it runs and names what it skips. The stages are stubs.
mkdir -p checkout/.ci checkout/tests
cp "$SRC/.ci/run" checkout/.ci/run
echo 'exit 0' >checkout/tests/need.sh
printf '# suites\nfirst\nsecond\n' >checkout/tests/shared-suites
# shellcheck disable=SC2016 # it expands where the script runs
printf 'echo "comparison data in $SHARED"\necho "3 passed, 0 failed"\n' >checkout/tests/run.sh
printf 'echo "4 passed, 0 failed"\n' >checkout/tests/stages.sh
printf 'lint sanitize bench:\n\t@echo %s\n' '$@' >checkout/Makefile
for flags in "" --without-comparison-data --other; do
    echo "== .ci/run $flags"
    checkout/.ci/run $flags >out
    rc=$?
    sed 's/  *[0-9]* s$//' out
    echo "exit status $rc"
done
