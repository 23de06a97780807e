# Damaged profiles: cut, broken in the middle, damaged as text, a profile without devices, a missing program.
"$PYTHON" "$SRC/tests/gen/make_xplane_example.py" --dir made || exit 99
in=made/plugins/profile/train_step/alpha.xplane.pb
size=$(wc -c <"$in")
head -c 100 "$in" >early.xplane.pb
"$ANALYZER" run early.xplane.pb -q --csv-dir early
echo "$?"
head -c $((size - 200)) "$in" >cut.xplane.pb
"$ANALYZER" run cut.xplane.pb --csv-dir cut --format csv
echo "$?"
grep -e "^dropped" -e "^events" cut/coverage.csv
"$ANALYZER" run cut.xplane.pb -q --csv-dir strict --strict
echo "$?"
gzip -c "$in" | head -c 1000 >cut.xplane.pb.gz
"$ANALYZER" run cut.xplane.pb.gz -q --csv-dir cutgz
echo "$?"
gzip -c "$in" >whole.gz
head -c $(($(wc -c <whole.gz) * 9 / 10)) whole.gz >most.xplane.pb.gz
"$ANALYZER" run most.xplane.pb.gz --csv-dir most --format csv 2>messages
echo "$?"
grep -c -e "gzip stream ends too early" -e "truncated: . whole planes kept" messages
grep -e "^dropped: file" most/coverage.csv
"$ANALYZER" run most.xplane.pb.gz -q --csv-dir moststrict --strict 2>/dev/null
echo "$?"
echo "== replaced bytes"
"$PYTHON" -c 'import sys; sys.stdout.buffer.write(open(sys.argv[1], "rb").read().replace(b"\x80", b"\xef\xbf\xbd"))' "$in" >mangled.xplane.pb
"$ANALYZER" run mangled.xplane.pb -q --csv-dir mangled
echo "$?"
echo "== no device"
"$PYTHON" - "$SRC" <<'PY' || exit 99
import sys
sys.path.insert(0, sys.argv[1] + "/tests/gen")
import make_xplane_example as g
open("host.xplane.pb", "wb").write(g.space(g.host_planes(0), "h"))
open("noprogram.xplane.pb", "wb").write(g.space([g.gpu_plane(0, 0)], "h"))
PY
"$ANALYZER" run host.xplane.pb --format csv --csv-dir host
echo "$?"
"$ANALYZER" run noprogram.xplane.pb --format csv --csv-dir noprogram
echo "$?"
grep -e "HLO" noprogram/coverage.csv
cut -d, -f1-4,8 noprogram/hlo_op_perf.csv
: >empty.xplane.pb
"$ANALYZER" run empty.xplane.pb -q --csv-dir empty
echo "$?"
