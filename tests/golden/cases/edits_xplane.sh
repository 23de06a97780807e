# Profiles of XPlane, copied with some seeded changes: rows and messages of each copy, a digest of each table.
for seed in 58 59 60; do
    "$PYTHON" "$SRC/tests/gen/make_ties_xplane.py" $seed.xplane.pb $seed || exit 99
done
cp "$SRC/example/xplane/plugins/profile/train_step/alpha.xplane.pb" "$SRC/example/xplane/tpu/tpu.xplane.pb" . || exit 99
"$PYTHON" "$SRC/tests/golden/edits.py" 7 20 58.xplane.pb 59.xplane.pb 60.xplane.pb alpha.xplane.pb tpu.xplane.pb micro_idle_thresh_us=0,1 \
    sheets_as=tracelens-jax,tracelens-genesis roofline_basis=achievable steps=pattern,none rank_tables=always
