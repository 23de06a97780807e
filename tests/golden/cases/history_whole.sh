# Twelve nights with noise, a step and a drift: verdicts, trends and exports of a history, and verdicts made again by other gates.
. "$SRC/tests/golden/gate_inputs.sh"
exec 2>&1
{
    echo '{ "inputs": ['
    input night night.csv
    cat <<'JSON'
  ], "labels": { "branch": "main", "host": "node7", "commit": "${COMMIT}", "created": "${DAY}" },
  "gates": { "rules": [ { "table": "kern_sum", "column": "Total Time (ns)" } ] },
  "history": { "path": "nights.db", "accept_after": 3 } }
JSON
} >c.json
day=1
for t in 500 503 498 501 502 499 560 561 559 562 500 530; do
    kernels night.csv "gemm:${t}00000" "attention:$((300 + day))00000" norm:$((9000000 - 100000 * day))
    DAY=$(printf '2026-03-%02d' $day) COMMIT=c$day "$ANALYZER" gate --config=c.json -q
    echo "night $day: $?"
    day=$((day + 1))
done
analyzer history list --db nights.db -v
analyzer history show 7 --db nights.db -v | grep -v '^  config '
analyzer history trend 'gemm*' --db nights.db -v
analyzer history trend '*' --most 2 --db nights.db --format csv,json -o trend
cat trend/*/*.csv
analyzer history export '*gemm*Total*' --db nights.db -o export --format csv
cat export/*/*.csv
sed 's/"rules": .*/"rules": [ { "table": "kern_sum", "column": "Total Time (ns)", "rel": 0.001 } ] },/' c.json >narrow.json
analyzer history accept 8 --reason "new driver" --db nights.db
analyzer history rejudge --db nights.db
analyzer history list --db nights.db
DAY=2026-04-01 COMMIT=x analyzer history rejudge --config=narrow.json --db nights.db
analyzer history list --db nights.db
