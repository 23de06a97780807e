# Functions of text in SQL, at the edges: characters of several bytes, nothing, numbers, blobs.
"$ANALYZER" query -q "$SRC/example/tracy/ops_perf_results_host0.csv" --format csv "SELECT instr('abcabc', 'c'), instr('abc', 'd'), instr('abc', ''), instr('', 'a'), instr('', ''), instr(NULL, 'a'),
    instr('a', NULL), instr('äöü', 'ü'), instr('äöü', 'ö'), instr(12345, 34), instr(x'0102ff', x'ff'), instr('aab', 'ab'), instr('ab', 'abc');
SELECT replace('abcabc', 'bc', 'x'), replace('abc', '', 'x'), replace('abc', 'd', 'x'), replace('aaa', 'a', ''), replace('aaa', 'aa', 'b'), replace(NULL, 'a', 'b'),
    replace('a', NULL, 'b'), replace('a', 'a', NULL), replace('äbä', 'ä', 'aa'), replace(1212, 12, 3), replace('', 'a', 'b');
SELECT ltrim('xxabxx', 'x'), rtrim('xxabxx', 'x'), trim('xxabxx', 'x'), trim('xyabyx', 'xy'), trim('xxx', 'x'), trim('', 'x'), trim('ab', ''), trim(NULL, 'x'),
    trim('a', NULL), trim('äöaöä', 'äö'), ltrim('öä', 'ä'), rtrim('öä', 'ä'), trim('a b', ' '), trim(121, 1), ltrim('abc', 'cba'), trim('äa', 'ã');
SELECT length(trim('x' || hex('a') || 'x', 'x')), trim('  ab  '), ltrim('  ab'), rtrim('ab  '), upper('aä'), substr('abcdef', 2, 3), like('A%', 'abc'), glob('a*', 'abc'),
    printf('%d', 5), abs(-3), round(2.567, 2), coalesce(NULL, 1), nullif(1, 1), typeof(1.0), min(3, 1), max(3, 1), hex('a'), quote('it''s'), unicode('a'), char(65), iif(1, 2, 3)" 2>&1
for f in "load_extension('x')" "readfile('x')" "randomblob(9)" "zeroblob(9)" "sqlite_version()" "random()" "fts3_tokenizer('x')" "date('now')" "printf('%.100000000d', 1)"; do
    "$ANALYZER" query -q "$SRC/example/tracy/ops_perf_results_host0.csv" "SELECT typeof($f)" 2>&1
    echo "$?"
done
