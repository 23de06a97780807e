#!/bin/sh
# Forty nights in a new folder, each the example profile with 0.5% of noise: night 6 records twice as many
# iterations, night 9 is empty (the profiler was killed) and is no run, so that run 9 is night 10, night 11 is an outlier (the machine was busy), from
# night 17 on the matrix products are 8% slower (a commit), from night 24 on they are as before (a revert), and
# from night 31 on every night is 0.4% slower than the one before. Prints one line per night, the verdict of those that do not
# pass, and the report of the trend as HTML.
#   usage: run.sh [FOLDER for the history and the reports]
#   environment: ANALYZER (build/analyzer of this repository, else the installed one)
here=$(cd "$(dirname "$0")" && pwd) || exit 1
built=$here/../../build/analyzer
[ -x "$built" ] || built=analyzer
ANALYZER=${ANALYZER:-$built}
command -v "$ANALYZER" >/dev/null || { echo "run.sh: there is no $ANALYZER: run make first" >&2; exit 1; }
out=${1:-nightly-out}
mkdir -p "$out" || exit 1
out=$(cd "$out" && pwd)
HISTORY=$out/nightly.sqlite
PROFILE=$out/profile.csv
export HISTORY PROFILE
rm -f "$HISTORY"
verdict() { # the line below the title, with the indented ones that it goes on in
    awk 'NR == 2 { s = $0 } NR > 2 && !/^ / { exit } NR > 2 { sub(/^ +/, " "); s = s $0 } END { print s }'
}
night=1
while [ "$night" -le 40 ]; do
    all=1 gemm=1 iters=5
    [ "$night" -eq 6 ] && iters=10
    [ "$night" -gt 30 ] && all=$(awk -v n="$((night - 30))" 'BEGIN { print 1.004 ^ n }')
    [ "$night" -eq 11 ] && all=1.12
    [ "$night" -ge 17 ] && [ "$night" -lt 24 ] && gemm=1.08
    awk -F, -v OFS=, -v seed="$night" -v all="$all" -v gemm="$gemm" -v iters="$iters" '
        function random() { x = (x * 16807) % 2147483647; return x / 2147483647 } # the same with every awk
        BEGIN { x = seed * 7919; for (i = 0; i < 9; i++) random() }
        NR == 1 { for (i = 1; i <= NF; i++) if ($i ~ / \(ns\)$/) time[i]; print; next } # total, average, ... of a kernel
        { factor = all * (1 + 0.005 * sqrt(-2 * log(1 - random())) * cos(6.2831853 * random()))
          if (tolower($0) ~ /gemm/) factor *= gemm
          for (i in time) $i = sprintf("%.1f", $i * factor)
          $2 = sprintf("%.1f", $2 * iters / 5) # total, and instances
          $3 = $3 * iters / 5
          print }' "$here/../nsys/llama2_70b_cuda_gpu_kern_sum.csv" >"$PROFILE"
    [ "$night" -eq 9 ] && : >"$PROFILE"
    NIGHT=$(printf '2026-%02d-%02dT02:00:00Z' $((1 + night / 32)) $((night - 31 * (night / 32)))) GIT_COMMIT=$(printf 'commit%02d' "$night") \
        "$ANALYZER" gate --config="$here/config.json" --opt="num_of_iters=$iters" -o "$out/night" >"$out/text" 2>"$out/notes"
    status=$?
    [ "$status" -le 3 ] || exit "$status"
    case $status in
    0) echo "night $night: passed" ;;
    *) echo "night $night: exit status $status, $(verdict <"$out/text")" ;;
    esac
    night=$((night + 1))
done
"$ANALYZER" history trend "key_* / *" --db "$HISTORY" --format html -o "$out" || exit 1
echo "the trend: $out/history_trend.html"
