#!/bin/sh
# Builds the program and runs the examples, one screen each: a training step, its straggler, kernels of an
# inference server, other profilers, a comparison. One HTML page, build/example-out/report.html, has all tables and
# charts of the first. Installs missing Debian packages first; can be called from any folder.
set -e
SRC=$(cd "$(dirname "$0")/.." && pwd)
: "${BUILD:=build}"
sh "$SRC/tests/need.sh" gcc make libc6-dev pkg-config libjson-c-dev zlib1g-dev libzstd-dev libisal-dev libxlsxwriter-dev liblua5.4-dev \
    libminizip-dev libexpat1-dev libutf8proc-dev libsqlite3-dev libxxhash-dev libjs-chart.js python3
cd "$SRC"
make --no-print-directory -j"$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)" BUILD="$BUILD" all "$BUILD/example-data/llama2_70b.sqlite" >&2
EXAMPLE_DATA=$(cd "$BUILD/example-data" && pwd)
export EXAMPLE_DATA
rm -rf "$BUILD/example-out"
mkdir -p "$BUILD/example-out"
out=$BUILD/example-out
rc=0

show() { # title, command...
    printf '\n# %s\n$ ' "$1"
    shift
    echo "$@"
    "$@" || rc=$?
}

show "What is this file?" "$BUILD/analyzer" probe example/pytorch/train_step.json
show "Where does a training step spend its time?" "$BUILD/analyzer" run example/pytorch/train_step.json
show "Which rank delays the others?" "$BUILD/analyzer" multirank -b example/multirank -o "$out/"
show "An inference server: kernels inside graphs" "$BUILD/analyzer" run example/pytorch/inference.json
show "A model of 70 billion parameters, Nsight Systems" "$BUILD/analyzer" run "$BUILD/example-data/llama2_70b.sqlite"
show "Compiled programs: JAX on GPUs" "$BUILD/analyzer" run example/xplane/plugins/profile/train_step
show "Operations of a Tenstorrent device" "$BUILD/analyzer" run example/tracy/ops_perf_results_layers.csv
show "The full report of the first one, as HTML" "$BUILD/analyzer" run example/pytorch/train_step.json -q --format html -o "$out"
mv "$out/train_step_perf_report.html" "$out/report.html"

cat <<END

Wrote $out/report.html (open it in a browser) and a workbook for the ranks in $out.
Next:
  $BUILD/analyzer run YOUR_PROFILE                          # one screen; -vv: all tables; -o DIR: a workbook
  $BUILD/analyzer compare example/pytorch/train_step.json example/pytorch/train_step_pageable.json
  $BUILD/analyzer init YOUR_PROFILE > config.json           # a configuration for nightly runs
END
exit $rc
