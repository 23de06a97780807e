#!/bin/sh
# The fewest and smallest files that reach what the corpora of the last `make fuzz` reach, seeds included: they replace
# those corpora. Prints the number of files before and after.
#   usage: minimize.sh [NAME...]      NAME: a harness; none: all
SRC=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
: "${BUILD:=$SRC/build-fuzz}"
if [ $# -eq 0 ]; then
    for h in "$SRC"/tests/fuzz/*_fuzz.c; do set -- "$@" "$(basename "$h" _fuzz.c)"; done
fi
files() { find "$1" -type f | wc -l; }
for name in "$@"; do
    from=$BUILD/corpus/$name to=$BUILD/corpus/$name.min
    [ -d "$from" ] || continue
    rm -rf "$to" && mkdir -p "$to" || exit 1
    if ! "$BUILD/fuzz/$name" -merge=1 -timeout=15 -rss_limit_mb=2048 "$to" "$SRC/tests/fuzz/corpus/$name" "$from" >"$BUILD/$name.merge.log" 2>&1; then
        echo "$name: see $BUILD/$name.merge.log"
        exit 1
    fi
    echo "$name: $(files "$from") files before, $(files "$to") after"
    rm -rf "$from" && mv "$to" "$from" || exit 1
done
