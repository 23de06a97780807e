#!/bin/sh
# Two nights of a check that should not get slower: the first has no baseline (exit status 3), the second one has.
#   usage: run.sh [FOLDER for the history and the reports]      environment: ANALYZER
here=$(cd "$(dirname "$0")" && pwd) || exit 1
out=${1:-nightly-out}
mkdir -p "$out" || exit 1
HISTORY=$(cd "$out" && pwd)/nightly.sqlite
export HISTORY
GIT_COMMIT=first "${ANALYZER:-analyzer}" gate --config="$here/config.json" -o "$out/1"
GIT_COMMIT=second "${ANALYZER:-analyzer}" gate --config="$here/config.json" -o "$out/2"
