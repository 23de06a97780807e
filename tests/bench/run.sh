#!/bin/sh
# Prints the table of figures; `make bench` builds what it needs. BENCH=smoke: small inputs, under a minute.
#   environment: BUILD (default build), PYTHON, BENCH, ONLY (the figures whose heading has this text, as "small files")
SRC=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
cd "$SRC" || exit 1
exec "${PYTHON:-python3}" tests/bench/measure.py "${BUILD:-build}" ${BENCH:+"$BENCH"}
