# Every option with a value of every command, with values that are none, negative, zero, broken, too large: what is refused how.
# Where a value is taken, the missing operand or the file that is not there is told instead.
"$PYTHON" - "$ANALYZER" <<'P'
import re, subprocess, sys

VALUES = ["", "x", "-1", "0", "1", "0.5", "1/1", "99999999999999999999"]
analyzer = sys.argv[1]


def run(*words):
    p = subprocess.run([analyzer, *words], capture_output=True, stdin=subprocess.DEVNULL, text=True, timeout=60)
    said = [line for line in (p.stderr + p.stdout).splitlines() if not line.startswith("analyzer: see ")]
    return "%d %s" % (p.returncode, said[0] if said else "")


text = subprocess.run([analyzer, "help", "--completion=bash"], capture_output=True, text=True, check=True).stdout
for command in re.search(r"^    local commands='(.*)'", text, re.M).group(1).split():
    page = subprocess.run([analyzer, "help", command], capture_output=True, text=True, check=True).stdout
    options = re.findall(r"^ {2,6}(?:-\w, +)?--([\w-]+)=", page, re.M)
    print("==", command, run(command, "missing.json", "missing.csv"))
    for option in options:
        of = {}
        for value in VALUES:
            said = run(command, "--%s=%s" % (option, value), "missing.json", "missing.csv")
            of.setdefault(said.replace("'%s'" % value, "'VALUE'"), []).append(value)
        for said, values in of.items():
            print("--%s=%s: %s" % (option, "|".join(values), said))
P
