# Damaged traces: cut off, an event that is no JSON, no accelerator activity, no events, not a trace.
in=$SRC/example/pytorch/inference.json
head -c 20000 "$in" >cut.json
"$ANALYZER" run cut.json --format csv --csv-dir cut
echo "$?"
grep -e "^dropped" -e "^events" cut/coverage.csv
"$ANALYZER" run cut.json -q --csv-dir strict --strict
echo "$?"
gzip -c "$in" | head -c 3000 >cut.json.gz
"$ANALYZER" run cut.json.gz -q --csv-dir cutgz
echo "$?"
echo "== a malformed event"
sed -e '20s/"cat": /"cat" /' -e '30s/"dur": [0-9.]*/"dur": NaN/' "$in" >bad.json
"$ANALYZER" run bad.json --format csv --csv-dir bad
echo "$?"
grep -e "^dropped" -e "^events" bad/coverage.csv
"$ANALYZER" run bad.json --csv-dir badstrict --strict -q
echo "$?"
echo "== no accelerator activity"
printf '{"traceEvents":[{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":1,"dur":5}]}\n' >host.json
"$ANALYZER" run host.json --csv-dir host --format csv
echo "$?"
ls host
printf '{"traceEvents":[]}\n' >none.json
"$ANALYZER" run none.json -q --csv-dir none
echo "$?"
printf '{"schemaVersion":1}\n' >noevents.json
"$ANALYZER" run noevents.json -q --csv-dir x --opt link_by=correlation
echo "$?"
printf '{ "inputs": [ { "format": "pytorch", "path": "noevents.json" } ] }\n' >c.json
"$ANALYZER" --config=c.json
echo "$?"
echo "== beside a good one"
"$ANALYZER" run none.json "$in" -q --csv-dir both
echo "$?"
ls both
