#!/bin/sh
# The static checks, all of them whatever fails: include rule, symbols of the objects, words and lines, format, cppcheck, clang-tidy where it is installed, shell
# scripts. The last line is "N passed, N failed" (checks). `make lint` calls it.
#   environment: PYTHON, JOBS, CPPFLAGS (for the checkers that parse C)
SRC=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
cd "$SRC" || exit 1
: "${PYTHON:=python3}" "${CPPFLAGS:=-D_POSIX_C_SOURCE=200809L -DAZ_WITH_ISAL}" "${JOBS:=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)}"
passed=0 failed=0
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM

check() { # name command...
    name=$1
    shift
    begin=$(date +%s)
    if "$@"; then
        passed=$((passed + 1))
        echo "ok   $name ($(($(date +%s) - begin)) s)"
    else
        failed=$((failed + 1))
        echo "FAIL $name"
    fi
}

include_rule() { "$PYTHON" tests/lint/include_rule.py; }
symbols() { "$PYTHON" tests/lint/symbols.py; }
# Only what src/README.md names; what a trial leaves there is committed by `git add -A`.
top_level() {
    strays=$(git ls-files 2>/dev/null | cut -d/ -f1 | sort -u |
        grep -vxE 'Makefile|README\.md|LICENSE|\..*|src|configs|example|tests|schemas')
    [ -z "$strays" ] || { echo "not for the top level: $strays"; return 1; }
}
text_rule() { "$PYTHON" tests/lint/text_rule.py; }
spelling() { "$PYTHON" tests/lint/spelling.py; }
selftest() { "$PYTHON" tests/lint/selftest.py; }

# Every C file as clang-format writes it; names the places that are not.
format() {
    find src tests/unit tests/fuzz tests/bench \( -name '*.c' -o -name '*.h' \) -print0 | sort -z |
        xargs -0 -n 40 -P "$JOBS" clang-format --dry-run --Werror
}

static_analysis() {
    # shellcheck disable=SC2086 # a list of flags
    cppcheck --quiet --std=c11 --language=c --enable=warning,portability,performance --inline-suppr --error-exitcode=1 \
        --suppress=missingIncludeSystem --suppressions-list=tests/lint/cppcheck.txt -j "$JOBS" \
        -Isrc '-DAZ_VERSION=""' '-DAZ_DATADIR=""' -DAZ_MUST_USE= -UAZ_MUST_USE $CPPFLAGS src
}

# The files of src/mpi are checked where the compiler of MPI is installed, with its include paths (Open MPI and MPICH both
# know -show), and skipped where it is not: the build does the same.
tidy() {
    CPPFLAGS="$CPPFLAGS $(pkg-config --cflags lua5.4 2>/dev/null)"
    skip='^$'
    if command -v "${MPICC:-mpicc}" >/dev/null 2>&1; then
        CPPFLAGS="$CPPFLAGS $("${MPICC:-mpicc}" -show 2>/dev/null | tr ' ' '\n' | grep '^-I' | tr '\n' ' ')"
    else
        skip='^src/mpi/'
        echo "skipped: clang-tidy of src/mpi (mpicc is not installed)"
    fi
    export CPPFLAGS
    # shellcheck disable=SC2016 # expanded by the inner shell
    find src -name '*.c' | grep -v "$skip" | sort | xargs -n 4 -P "$JOBS" sh -c 'clang-tidy --quiet "$@" -- -std=c11 -Isrc \
        -DAZ_VERSION="\"0\"" -DAZ_DATADIR="\"/\"" $CPPFLAGS' sh >"$tmp/tidy" 2>"$tmp/err"
    rc=$?
    grep -E 'warning:|error:' "$tmp/tidy" | sed "s|$SRC/||" | sort -u
    [ $rc -eq 0 ] || grep -vE '^[0-9]+ warnings? |^Suppressed' "$tmp/err" | head -n 20
    [ $rc -eq 0 ] && ! grep -qE 'warning:|error:' "$tmp/tidy"
}

scripts() {
    shellcheck .ci/run example/*.sh example/nightly/run.sh tests/*.sh tests/golden/run.sh tests/bench/run.sh tests/lint/run.sh tests/house/run.sh &&
        shellcheck --shell=sh --exclude=SC1091,SC2002,SC2046,SC2154,SC2164 tests/golden/cases/*.sh
}

check "checks of the checks" selftest
check "include rule" include_rule
check "exported symbols, circles" symbols
check "words, formats, columns" text_rule
if command -v codespell >/dev/null 2>&1; then
    check "US spelling" spelling
else
    echo "skipped: codespell is not installed"
fi
check "top level" top_level
check "clang-format" format
check "cppcheck" static_analysis
if command -v clang-tidy >/dev/null 2>&1; then
    check "clang-tidy" tidy
else
    echo "skipped: clang-tidy is not installed"
fi
check "shellcheck" scripts
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
