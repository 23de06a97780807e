# The help of every command and topic whole; of completions and manual pages the length and a digest.
commands=$("$ANALYZER" help --completion=bash | sed -n "s/^    local commands='//p" | tr -d "'")
for c in $commands; do
    echo "== $c"
    "$ANALYZER" help "$c"
done
for t in formats sql exit-status outputs environment sandbox topics; do
    echo "== topic $t"
    "$ANALYZER" help $t
done
echo "== list"
"$ANALYZER" list
digest() {
    "$PYTHON" -c 'import hashlib, re, sys
text = re.sub(r"analyzer \d[\w.+-]*|\d{4}-\d\d(-\d\d)?", "", sys.stdin.read())
print("%-22s %5d lines %7d bytes %s" % (sys.argv[1], text.count("\n"), len(text.encode()), hashlib.sha256(text.encode()).hexdigest()[:16]))' "$1"
}
for shell in bash zsh fish; do "$ANALYZER" help --completion=$shell | digest "completion $shell"; done
"$ANALYZER" help config | digest "help config"
for c in $commands; do "$ANALYZER" help --man "$c" | digest "man $c"; done
