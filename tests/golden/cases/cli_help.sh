"$ANALYZER" --help
"$ANALYZER" run -h
"$ANALYZER" help prob
echo "$?"
# every page fits 80 columns, and so do messages on a terminal; those in a file are whole lines
for page in config formats sql outputs sandbox topics environment exit-status \
    $("$ANALYZER" --help | sed -n 's/^  \([a-z-][a-z-]*\) .*/\1/p'); do
    "$ANALYZER" help "$page"
done | awk 'length > 80'
"$ANALYZER" help "no such topic, whose name is long enough for another line" 2>&1 || echo "$?"
"$PYTHON" - "$ANALYZER" <<'P'
import os, subprocess, sys
ours, theirs = os.openpty()
words = [sys.argv[1], "help", "no such topic, whose name is long enough for another line"]
subprocess.run(words, stderr=theirs, stdin=subprocess.DEVNULL, timeout=60, env={**os.environ, "COLUMNS": "80"})
print(os.read(ours, 4096).decode().replace("\r\n", "\n"), end="")
P
