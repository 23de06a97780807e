#!/usr/bin/env python3
"""Hold documentation against the program: every key of the option table is in src/docs/config*.md, in the schema and in
`analyzer help config`; every command-line option is in src/docs; the generated parts of src/docs and
schemas/config.schema.json are what the program prints now; the schema is valid and accepts the examples.

    options_documented.py [--analyzer FILE] [--update]      --update rewrites the generated parts of src/docs
The last line is "N passed, N failed".
"""
import argparse
import glob
import json
import os
import re
import subprocess
import sys

from check_lib import Checks

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DOCS = os.path.join(ROOT, "src", "docs")
SCHEMA = os.path.join(ROOT, "schemas", "config.schema.json")
BLOCK = re.compile(r"(<!-- generated: analyzer ([^>]*?) -->\n)(.*?)(<!-- /generated -->)", re.S)


def table_keys():
    """Keys of the option table as the source has them."""
    text = open(os.path.join(ROOT, "src", "config", "options.c"), encoding="utf-8").read()
    text = text[text.index("az_option_table[] = {"):]
    rows = open(os.path.join(ROOT, "src", "model", "option_rows.h"), encoding="utf-8").read()
    return sorted(set(re.findall(r'^\s*\{\s*"(\w+)",\s*(?:AZ_)?AT_', text, re.M) + re.findall(r"^    X\([A-Z]+, (\w+),", rows, re.M)))


def strip_json(text):
    """A configuration without comments and trailing commas."""
    out, i = [], 0
    token = re.compile(r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/', re.S)
    for m in token.finditer(text):
        out.append(text[i:m.start()])
        out.append(m.group(0) if m.group(0)[0] == '"' else " ")
        i = m.end()
    out.append(text[i:])
    text, out, i = "".join(out), [], 0
    for m in re.finditer(r'"(?:\\.|[^"\\])*"|,(?=\s*[}\]])', text, re.S):
        out.append(text[i:m.start()])
        out.append(m.group(0) if m.group(0)[0] == '"' else "")
        i = m.end()
    return "".join(out) + text[i:]


def properties(schema, out):
    """Every property name of a schema, however deep."""
    if isinstance(schema, dict):
        out.update(schema.get("properties", {}))
        for v in schema.values():
            properties(v, out)
    elif isinstance(schema, list):
        for v in schema:
            properties(v, out)
    return out


def unbroken(text):
    """`analyzer help config` with a line per key, text and heading, which the page breaks at 80 columns."""
    out = []
    for line in text.splitlines():
        last = out[-1] if out else ""
        of_key = re.match(r"  \w+ \(", last) and last.count("(") > last.count(")")
        heads = line and last and not line.startswith(" ") and not last.startswith(" ")
        if heads or line.startswith("      ") and (of_key or last.startswith("      ")):
            out[-1] += " " + line.strip()
        else:
            out.append(line)
    return "\n".join(out) + "\n"


def config_tables(text):
    """The blocks of `analyzer help config` ("  key (type; default x)" and a line of help) as Markdown tables."""
    out, option, started = [], None, False
    for line in text.splitlines():
        m = re.match(r"  (\w+) \((.*)\)$", line)
        if m:
            if not started:
                out += ["", "| key | value | default | meaning |", "|---|---|---|---|"]
                started = True
            value, _, default = m.group(2).partition("; default ")
            option = (m.group(1), value, default)
        elif option and line.startswith("      "):
            inputs = re.search(r" \[([\w, -]+)\]$", line)
            meaning = line.strip() if not inputs else line[:inputs.start()].strip() + " (%s inputs)" % inputs.group(1)
            cells = ["`%s`" % option[0], option[1], "`%s`" % option[2] if option[2] else "", meaning]
            out.append("| " + " | ".join(c.replace("|", "\\|") for c in cells) + " |")
            option = None
        elif line.strip():
            heading = bool(out) and not line.startswith(" ") and out[-1] == ""
            out.append("**%s**" % line if heading else line)
            started = False
        else:
            out.append("")
    return "\n".join(out).strip("\n") + "\n"


def parts_of(page, chosen):
    """The parts whose headings begin with one of the names ("options, thresholds"), or the others ("not options")."""
    names = re.findall(r"(?:not )?(\w+)", chosen)
    parts = re.split(r"^(?=\*\*)", page, flags=re.M)
    found = [p for p in parts if p.startswith("**") and re.match(r"\*\*(\w+)", p).group(1) in names]
    if chosen.strip().startswith("not "):
        found = [p for p in parts if p not in found]
    return "".join(found).strip("\n") + "\n"


def rendered(text, chosen=""):
    """Printed help as text of a page."""
    if re.search(r"^  \w+ \(.*\)\n      \S", text, re.M):
        page = config_tables(unbroken(text))
        return parts_of(page, chosen) if chosen else page
    return "```\n" + text.rstrip("\n") + "\n```\n"


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--analyzer", default=os.path.join(ROOT, "build", "analyzer"))
    p.add_argument("--update", action="store_true")
    a = p.parse_args()
    analyzer = os.path.abspath(a.analyzer)

    def run(*args):
        q = subprocess.run([analyzer] + list(args), capture_output=True, text=True, cwd=ROOT, stdin=subprocess.DEVNULL)
        if q.returncode:
            raise RuntimeError("analyzer %s: exit status %d: %s" % (" ".join(args), q.returncode, q.stderr.strip()))
        return q.stdout

    def block(named):
        """Text of a generated part: "help run", or "help config; options", which are parts of a page."""
        command, _, chosen = named.partition(";")
        return rendered(run(*command.split()), chosen.strip())

    pages = {f: open(f, encoding="utf-8").read()
             for f in [os.path.join(ROOT, "README.md")] + sorted(glob.glob(os.path.join(DOCS, "*.md")))}
    if a.update:
        for f, text in pages.items():
            new = BLOCK.sub(lambda m: m.group(1) + block(m.group(2)) + m.group(4), text)
            if new != text:
                open(f, "w", encoding="utf-8").write(new)
                print(os.path.relpath(f, ROOT) + " rewritten")
        return 0

    documentation = "\n".join(pages.values())
    c = Checks()
    keys = table_keys()
    c.hold(len(keys) >= 20, "the option table is found", "%d keys in src/config/options.c" % len(keys))
    help_config, schema_text = run("help", "config"), run("schema")
    schema = json.loads(schema_text)
    known = properties(schema, set())
    keyed = "".join(pages[os.path.join(DOCS, f)] for f in ("config.md", "config-options.md"))
    for where, has in (("src/docs/config.md, config-options.md", lambda k: re.search(r"^\| `%s` \|" % k, keyed, re.M)),
                       ("analyzer help config", lambda k: re.search(r"\b%s\b" % k, help_config)),
                       ("the schema", lambda k: k in known)):
        missing = [k for k in keys if not has(k)]
        c.hold(not missing, "every option key is in " + where, "missing: " + ", ".join(missing))
    for command in re.findall(r"^  ([a-z-]+) ", run("help"), re.M):
        options = re.findall(r"--[a-z][a-z0-9_-]*", run("help", command))
        missing = sorted({o for o in options if not re.search(r"(?:--|`)" + re.escape(o[2:]).replace("\\-", "[_-]") + r"\b", documentation)})
        c.hold(not missing, "options of 'analyzer %s' are in src/docs" % command, "missing: " + ", ".join(missing))
    commands = re.findall(r"^  ([a-z-]+) +\S", run("help"), re.M)
    bad = []
    for command in commands:
        text = run("help", command).partition("\nexamples:\n")[2]
        bad += [command + ": none"] * (not text)
        for m in re.finditer(r"\banalyzer ([a-z-]+)([^\n&|]*)", text):
            own = set(re.findall(r"--?[a-z][a-z0-9_-]*", run("help", m.group(1)).partition("\nexamples:")[0])) if m.group(1) in commands else set()
            words = m.group(2).split(" -- ")[0]
            wrong = [o for o in re.findall(r"(?<= )--?[a-z][a-z0-9_-]*", words) if o not in own and o.replace("-", "_").lstrip("_") not in keys]
            bad += ["%s: %s" % (command, " ".join(wrong))] * bool(wrong)
            if m.group(1) not in commands and not re.match(r"analyzer \S+\.", m.group(0)):
                bad.append("%s: no command '%s'" % (command, m.group(1)))
    c.hold(len(commands) > 20 and not bad, "every command has examples with commands and options that exist", "; ".join(bad))
    long = [line for line in run("help").splitlines() if len(line) > 100]
    c.hold(not long, "the list of commands has one line each", "; ".join(long))
    generated = set()
    for f, text in pages.items():
        for m in BLOCK.finditer(text):
            generated.add(m.group(2).partition(";")[0])
            c.hold(m.group(3) == block(m.group(2)),
                   "%s has what 'analyzer %s' prints" % (os.path.relpath(f, ROOT), m.group(2)), "stale (make readme)")
    missing = {"help", "help config", "help run", "list"} - generated
    c.hold(not missing, "the pages have their generated parts", "missing: " + ", ".join(sorted(missing)))

    committed = open(SCHEMA, encoding="utf-8").read() if os.path.exists(SCHEMA) else ""
    c.hold(committed == schema_text, "schemas/config.schema.json is what the program prints", "stale (make schema)")
    import jsonschema
    for f in sorted(glob.glob(os.path.join(ROOT, "schemas", "*.json"))):
        try:
            jsonschema.Draft7Validator.check_schema(json.load(open(f, encoding="utf-8")))
            why = "" if json.load(open(f, encoding="utf-8")).get("$id") == os.path.basename(f) else "$id is not its name"
        except (ValueError, jsonschema.SchemaError) as e:
            why = str(e).split("\n")[0]
        c.hold(not why, "%s is a valid schema" % os.path.relpath(f, ROOT), why)
    validator = jsonschema.Draft7Validator(schema)
    for f in sorted(glob.glob(os.path.join(ROOT, "example", "*.json")) + glob.glob(os.path.join(ROOT, "example", "nightly", "*.json"))):
        config = json.loads(strip_json(open(f, encoding="utf-8").read()))
        named = os.path.normpath(os.path.join(os.path.dirname(f), config.get("$schema", "")))
        c.hold(named == SCHEMA, "%s names its schema" % os.path.relpath(f, ROOT), str(config.get("$schema")))
        why = "; ".join(e.message for e in validator.iter_errors(config))
        c.hold(not why, "the schema accepts %s" % os.path.relpath(f, ROOT), why[:200])
        config["inputs"][0]["formta"] = "csv"
        c.hold(any(validator.iter_errors(config)), "the schema refuses an unknown key in %s" % os.path.relpath(f, ROOT))
    print("%d passed, %d failed" % (c.passed, c.failed))
    return 1 if c.failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (RuntimeError, OSError, ValueError, ImportError) as e:
        print("FAIL %s" % e)
        print("0 passed, 1 failed")
        sys.exit(1)
