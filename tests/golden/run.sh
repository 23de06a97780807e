#!/bin/sh
# Golden tests of the command line: cases/NAME.sh runs in an empty scratch folder; its standard output must be
# NAME.stdout byte for byte, its exit status the number in NAME.rc (no file: 0), its standard error NAME.stderr if that
# file exists. The paths of the scratch folder and of the checkout read @SCRATCH@ and @SRC@ in all of them.
#   usage: run.sh [--update] [--part K/N] [NAME...]      --update rewrites what differs (stderr only where the file exists),
#   --part runs every Nth case from the Kth
#   environment: ANALYZER (default SRC/build/analyzer), PYTHON, EXAMPLE_DATA, GOLDEN_SKIP (cases left out)
SRC=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
: "${ANALYZER:=$SRC/build/analyzer}" "${PYTHON:=python3}" "${EXAMPLE_DATA:=$SRC/build/example-data}"
export SRC ANALYZER PYTHON EXAMPLE_DATA
LC_ALL=C.UTF-8 TERM=dumb NO_COLOR=1
export LC_ALL TERM NO_COLOR
unset CDPATH MAKEFLAGS MFLAGS MAKELEVEL # a case that calls make is no part of the make that runs the cases
cases=$SRC/tests/golden/cases
update=0
if [ "$1" = --update ]; then
    update=1
    shift
fi
part=1/1
if [ "$1" = --part ]; then
    part=$2
    shift 2
fi
if ! [ -x "$ANALYZER" ]; then
    echo "no program at $ANALYZER (run make first)"
    exit 1
fi
work=$(mktemp -d) || exit 1
work=$(cd "$work" && pwd -P)
TMPDIR=$work/tmp # next to the scratch folder: what a command may write must not hang on where temporary files are
export TMPDIR
mkdir "$TMPDIR"
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
[ $# -gt 0 ] || {
    for f in "$cases"/*.sh; do
        [ -f "$f" ] && set -- "$@" "$(basename "$f" .sh)"
    done
}

plain() { # file: paths of this machine, names of temporary files, times and sizes of memory replaced
    sed -e "s|$work/scratch|@SCRATCH@|g" -e "s|$SRC|@SRC@|g" \
        -e "s|$TMPDIR/\([a-z]*\)\.[A-Za-z0-9]\{6\}|@TMP@/\1|g" -e "s/: [0-9.]* s, [0-9.]* MB read, [0-9.]* MB memory/: @TIME@/" "$1"
}

check() { # name extension: compares $work/got with the expectation
    want=$cases/$1.$2
    cmp -s "$want" "$work/got" && return 0
    if [ $update -eq 1 ]; then
        cp "$work/got" "$want"
        echo "     wrote $1.$2"
        return 0
    fi
    [ -f "$want" ] || echo "     no $1.$2"
    diff -u "$want" "$work/got" 2>/dev/null | head -n 40 | sed 's/^/     /'
    return 1
}

passed=0 failed=0 at=0
for name in "$@"; do
    at=$((at + 1))
    [ $(((at - ${part%/*}) % ${part#*/})) -eq 0 ] || continue
    case " $GOLDEN_SKIP " in *" $name "*)
        echo "skipped: $name"
        continue
        ;;
    esac
    rm -rf "$work/scratch"
    mkdir "$work/scratch"
    (cd "$work/scratch" && timeout "${GOLDEN_TIMEOUT:-1200}" sh "$cases/$name.sh" >"$work/out" 2>"$work/err" </dev/null)
    rc=$?
    ok=1
    plain "$work/out" >"$work/got"
    check "$name" stdout || ok=0
    want=0
    [ -f "$cases/$name.rc" ] && want=$(cat "$cases/$name.rc")
    if [ "$rc" -ne "$want" ]; then
        if [ $update -eq 1 ]; then
            if [ $rc -eq 0 ]; then rm -f "$cases/$name.rc"; else echo $rc >"$cases/$name.rc"; fi
            echo "     wrote $name.rc"
        else
            echo "     exit status $rc, wanted $want"
            ok=0
        fi
    fi
    if [ -f "$cases/$name.stderr" ]; then
        plain "$work/err" >"$work/got"
        check "$name" stderr || ok=0
    fi
    if [ $ok -eq 1 ]; then
        passed=$((passed + 1))
        echo "ok   $name"
    else
        failed=$((failed + 1))
        [ -f "$cases/$name.stderr" ] || head -n 20 "$work/err" | sed 's/^/     stderr: /'
        echo "FAIL $name"
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
