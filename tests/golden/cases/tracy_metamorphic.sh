# Shuffled, quoted, doubled and cut reports.
"$PYTHON" "$SRC/tests/tracy_metamorphic.py" "$ANALYZER"
