#!/bin/sh
# Builds the program and runs every test (`make test`), after installing what is missing (Debian packages); may be called
# from anywhere. The last line is "N passed, N failed"; the exit status is 0 only if nothing failed.
SRC=$(cd "$(dirname "$0")/.." && pwd) || exit 1
: "${BUILD:=build}"
fail() {
    echo "$1"
    echo "0 passed, 1 failed"
    exit 1
}
sh "$SRC/tests/need.sh" gcc make libc6-dev pkg-config libjson-c-dev zlib1g-dev libzstd-dev libisal-dev libxlsxwriter-dev liblua5.4-dev \
    libminizip-dev libexpat1-dev libutf8proc-dev libsqlite3-dev libxxhash-dev libjs-chart.js python3 libcmocka-dev python3-openpyxl python3-jsonschema libxml2-utils || fail "cannot test"
sh "$SRC/tests/need.sh" chromium || echo "HTML reports will not be opened in a browser"
sh "$SRC/tests/need.sh" slurmctld slurmd slurm-client || echo "nothing will be run under Slurm"
sh "$SRC/tests/need.sh" openmpi-bin libopenmpi-dev || echo "nothing will be run under MPI"
sh "$SRC/tests/need.sh" cmark-gfm || echo "the pages will not be built as HTML"
sh "$SRC/tests/need.sh" python3-numpy python3-pandas python3-pip python3-venv || echo "the Python wheel will not be installed"
sh "$SRC/tests/need.sh" abigail-tools valgrind || echo "the interface of the library will not be checked"
cd "$SRC" || fail "no $SRC"
rm -f "$BUILD/test-totals"
make --no-print-directory -j"$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)" BUILD="$BUILD" test-build || fail "the build failed"
make --no-print-directory BUILD="$BUILD" test 2>&1
rc=$?
[ -f "$BUILD/test-totals" ] || fail "the tests did not end"
[ $rc -eq 0 ] || cat "$BUILD/test-totals" # make has added a line of its own
exit $rc
