# The progress line of map: traces done of all, cleared at the end.
TERM=xterm "$ANALYZER" map "$SRC/example/multirank/step_120" -o parts --progress=always 2>&1 | tr '\r' '\n' | tr -d '\033' |
    sed -n 's/^\[K\[[0-4]\/4\] traces.*/progress of 4 traces/p' | sort -u
TERM=xterm "$ANALYZER" map "$SRC/example/multirank/step_120" -o more --progress=never 2>&1
find parts -type f | wc -l
