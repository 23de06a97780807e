# A session with the server, byte for byte; more of it in tests/serve_check.py.
grep -v '"gate"' "$SRC"/tests/fuzz/corpus/serve/session.jsonl >session
cat >>session <<'END'
{"jsonrpc":"2.0","id":20,"method":"tools/call","params":{"name":"verdict","arguments":{"input":"train_step"}}}
{"jsonrpc":"2.0","id":21,"method":"tools/call","params":{"name":"query","arguments":{"sql":"SELECT name, count(*) AS n FROM kernels GROUP BY name ORDER BY n DESC, name","limit":2}}}
{"jsonrpc":"2.0","id":22,"method":"tools/call","params":{"name":"query","arguments":{"sql":"DROP TABLE kernels"}}}
{"jsonrpc":"2.0","id":23,"method":"resources/read","params":{"uri":"analyzer://train_step/gpu_timeline"}}
no message
{"jsonrpc":"2.0","id":24,"method":"none"}
{"jsonrpc":"2.0","id":25,"method":"ping"}
END
"$ANALYZER" serve "$SRC"/example/pytorch/train_step.json <session
echo "$?"
