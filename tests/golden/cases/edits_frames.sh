# Traces of PyTorch with frames, graphs, captures, experts, phases, other backends, copied with some seeded changes: rows and
# messages of each copy, a digest of each table.
"$PYTHON" "$SRC/tests/gen/make_pytorch_trace.py" frames.json --steps 2 --layers 1 --frames --rank 1 --world 4 || exit 99
"$PYTHON" "$SRC/tests/gen/make_backends.py" cuspy cuspy.json --steps 2 || exit 99
"$PYTHON" "$SRC/tests/gen/make_backends.py" xpu xpu.json --steps 2 || exit 99
cp "$SRC/example/pytorch/moe.json" "$SRC/example/pytorch/inference.json" . && cp "$SRC/example/pytorch/decode/trace.json" decode.json &&
    cp -r "$SRC/example/pytorch/decode/capture_traces" captures || exit 99
"$PYTHON" "$SRC/tests/golden/edits.py" 2 16 frames.json cuspy.json xpu.json moe.json critical_path=true rank_tables=always \
    include_call_stack=true detect_recompute=true group_by_parent_module=true enable_pseudo_ops=true launcher_events=all
echo "== inference"
"$PYTHON" "$SRC/tests/golden/edits.py" 3 12 inference.json decode.json inference_phase_analysis=true,true,false \
    phase_detection_method=kernel_names,operation_frequency,framework_apis,attention_patterns,gemm_params,annotation,auto \
    decode_threshold=1,16,32 capture_folder=captures,captures,none
