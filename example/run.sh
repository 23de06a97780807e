#!/bin/sh
# Builds the program and runs the examples: Nsight profiles, PyTorch traces, and profiles of compiled programs. Prints their
# figures; the workbooks go to build/example-out. Installs what is missing (Debian packages) first; may be called from anywhere.
set -e
SRC=$(cd "$(dirname "$0")/.." && pwd)
: "${BUILD:=build}"
sh "$SRC/tests/need.sh" gcc make libc6-dev pkg-config libjson-c-dev zlib1g-dev libisal-dev libxlsxwriter-dev liblua5.4-dev \
    libminizip-dev libexpat1-dev libsqlite3-dev libxxhash-dev libjs-chart.js python3
cd "$SRC"
make --no-print-directory -j"$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)" BUILD="$BUILD" all "$BUILD/example-data/llama2_70b.sqlite" >&2
EXAMPLE_DATA=$(cd "$BUILD/example-data" && pwd)
export EXAMPLE_DATA
rm -rf "$BUILD/example-out"
mkdir -p "$BUILD/example-out"
rc=0
for config in example/*.json; do
    "$BUILD/analyzer" --config="$config" -o "$BUILD/example-out" || rc=$?
    echo "command: EXAMPLE_DATA=$BUILD/example-data $BUILD/analyzer --config=$config -o $BUILD/example-out"
done
"$BUILD/analyzer" replay --emit="$BUILD/example-out/replay" example/pytorch/train_step.json || rc=$?
echo "command: $BUILD/analyzer replay --emit=$BUILD/example-out/replay example/pytorch/train_step.json"
for f in "$BUILD"/example-out/*; do
    [ -e "$f" ] && echo "wrote:   $f"
done
exit $rc
