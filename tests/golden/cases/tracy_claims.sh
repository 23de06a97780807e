# Claims about operation reports: faults and healthy counterparts.
"$PYTHON" "$SRC/tests/tracy_claims_check.py" "$ANALYZER"
