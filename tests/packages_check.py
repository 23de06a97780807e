#!/usr/bin/env python3
"""What packages install and what continuous integration runs: manual pages without a complaint of mandoc, completion that
the shells load and that knows commands, options and words; the files of `make install`, and that `make uninstall` leaves
none; the same archive twice from `make dist`; the list of linked libraries; the packages that the Dockerfile and the action
install; the steps of the GitHub action, run one by one as a runner does.

    packages_check.py [--analyzer FILE] [--build DIR]
The last line is "N passed, N failed".
"""
import argparse
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

from check_lib import Checks

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PACKAGING = os.path.join(ROOT, "src", "packaging")


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as f:
        return f.read()


def run(args, **more):
    return subprocess.run(args, capture_output=True, text=True, stdin=subprocess.DEVNULL, **more)


def check_manual(c, analyzer, commands, scratch):
    pages = {"analyzer.1": ["help", "--man"], "analyzer-config.5": ["help", "--man", "config"]}
    pages.update({"analyzer-%s.1" % k: ["help", "--man", k] for k in commands})
    for page, args in pages.items():
        text = run([analyzer] + args).stdout
        path = os.path.join(scratch, page)
        open(path, "w", encoding="utf-8").write(text)
        c.hold(".SH NAME" in text and ".SH SEE ALSO" in text, "%s has its sections" % page)
        if shutil.which("mandoc"):
            said = [line for line in run(["mandoc", "-T", "lint", "-W", "warning", path]).stdout.splitlines() if "missing date" not in line]
            c.hold(not said, "%s is accepted by mandoc" % page, "; ".join(said[:3]))
    if not shutil.which("mandoc"):
        print("mandoc is not installed: manual pages are not checked by it")
    config = read(scratch, "analyzer-config.5")
    keys = re.findall(r"^  (\w+) \(", run([analyzer, "help", "config"]).stdout, re.M)
    missing = [k for k in keys if "\\fB%s (" % k not in config]
    c.hold(len(keys) > 150 and not missing, "analyzer-config(5) has every key", ", ".join(missing[:5]))


BASH = """
source %s
ask() { COMP_WORDS=("$@"); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _analyzer 2>/dev/null; echo "${COMPREPLY[*]}"; }
ask analyzer mul
ask analyzer run --topk
ask analyzer run x.json --format = j
ask analyzer tt-perf-report --id
ask analyzer run --group_by me
ask analyzer help con
ask analyzer run exam
ask analyzer --conf
"""
BASH_WANT = ["multirank", "--topk_kernels= --topk_ops= --topk_roofline_ops= --topk_short_kernels=", "json junit", "--id-range=", "memory",
             "config", "example", "--config="]


def check_completion(c, analyzer, scratch):
    files = {}
    for shell in ("bash", "zsh", "fish"):
        q = run([analyzer, "help", "--completion", shell])
        files[shell] = os.path.join(scratch, "completion." + shell)
        open(files[shell], "w", encoding="utf-8").write(q.stdout)
        c.hold(q.returncode == 0 and len(q.stdout) > 1000, "completion for " + shell)
    q = run(["bash", "--norc", "-c", BASH % files["bash"]], cwd=ROOT)
    got = q.stdout.splitlines()
    got[1:2] = [" ".join(sorted(got[1].split()))] if len(got) > 1 else []
    c.hold(got == BASH_WANT and not q.stderr, "bash completes commands, options, keys, words and files", "%s %s" % (got, q.stderr[:200]))
    q = run([analyzer, "help", "--completion", "bsh"])
    c.hold(q.returncode == 2 and "did you mean 'bash'" in q.stderr, "the nearest shell", q.stderr)
    if shutil.which("zsh"):
        q = run(["zsh", "-f", "-c", "autoload -U compinit; compinit -u -D; source %s; print $_comps[analyzer]" % files["zsh"]])
        c.hold(q.stdout.strip() == "_analyzer" and not q.stderr, "zsh loads its completion", q.stderr[:200])
    if shutil.which("fish"):
        ask = "source %s; complete -C 'analyzer mul'; complete -C 'analyzer run --topk_o'; complete -C 'analyzer run --group_by me'"
        q = run(["fish", "--no-config", "-c", ask % files["fish"]])
        words = [line.split("\t")[0] for line in q.stdout.splitlines()]
        c.hold(words == ["multirank", "--topk_ops", "memory"] and not q.stderr, "fish completes", "%s %s" % (words, q.stderr[:200]))


def check_examples(c, prefix, scratch):
    """Each configuration among the installed examples runs with the installed program, and names the installed schema."""
    examples = os.path.join(prefix, "share", "doc", "analyzer", "examples")
    analyzer = os.path.abspath(os.path.join(prefix, "bin", "analyzer"))
    configs = [f for f in glob.glob(os.path.join(examples, "**", "*.json"), recursive=True) if '"$schema"' in read(f)]
    c.hold(len(configs) >= 8, "configurations are installed", configs)
    env = {k: v for k, v in os.environ.items() if k != "EXAMPLE_DATA"}
    env["HISTORY"] = os.path.join(scratch, "examples.sqlite")
    for path in sorted(configs):
        name = os.path.relpath(path, examples)
        for command in (["check-config", path], ["run", "--config=" + path, "-o", os.path.join(scratch, "examples", name)]):
            q = run([analyzer] + command, cwd=scratch, env=env)
            c.hold(q.returncode == 0, "example %s: %s" % (name, command[0]), q.stderr[-300:])
        schema = re.search(r'"\$schema": "(.*?)"', read(path)).group(1)
        c.hold(os.path.exists(os.path.join(os.path.dirname(path), schema)), "example %s names an installed schema" % name, schema)
    scripts = [f for f in glob.glob(os.path.join(examples, "**", "*.sh"), recursive=True) if "tests/" in read(f)]
    c.hold(not scripts, "scripts among the examples need no files of the source tree", scripts)


def check_install(c, build, scratch):
    """The tree that `make installed` made, and its way back."""
    tree = os.path.join(build, "installed")
    there = sorted(os.path.relpath(os.path.join(d, f), tree) for d, _, fs in os.walk(tree) for f in fs)
    prefix = "usr/local/"
    for part in ("bin/analyzer", "include/analyzer.h", "lib/libanalyzer.so.0", "lib/libanalyzer.so", "lib/libanalyzer.a",
                 "lib/pkgconfig/analyzer.pc", "share/analyzer/schemas/config.schema.json", "share/analyzer/configs/devices.csv",
                 "share/man/man1/analyzer.1", "share/man/man1/analyzer-run.1", "share/man/man5/analyzer-config.5",
                 "share/bash-completion/completions/analyzer", "share/zsh/vendor-completions/_analyzer",
                 "share/fish/vendor_completions.d/analyzer.fish", "share/doc/analyzer/README.md",
                 "share/doc/analyzer/from-tracelens.md", "share/doc/analyzer/examples/pytorch.json"):
        c.hold(prefix + part in there, "make install writes " + part)
    for part in ("bin/analyzer", "lib/libanalyzer.so.0"):
        path = os.path.join(tree, prefix, part)
        sections = run(["readelf", "-SW", path]).stdout
        c.hold(".debug_info" not in sections and ".gnu_debuglink" in sections, part + " has its debug information elsewhere")
        c.hold(os.path.getsize(path) <= 10e6 or "__asan" in run(["readelf", "--dyn-syms", "-W", path]).stdout, part + " has at most 10 MB",
               os.path.getsize(path))
    pages = glob.glob(os.path.join(tree, prefix, "share/doc/analyzer/*.md"))
    links = [(f, target) for f in pages for target in re.findall(r"\]\(([^)\s#]+)(?:#[^)]*)?\)", read(f))]
    lost = [x for x in links if "://" not in x[1] and not os.path.exists(os.path.join(os.path.dirname(x[0]), x[1]))]
    c.hold(links and not lost, "links of the installed pages lead somewhere", lost[:3])
    check_examples(c, os.path.join(tree, prefix), scratch)
    log = os.path.join(build, "installed.log")
    said = read(log).splitlines()[-4:] if os.path.exists(log) else []
    want = [r"^  %s +%s" % (what, where) for what, where in (("program", "bin/analyzer$"), ("library", "lib, include/analyzer.h$"),
                                                             ("documentation", "share/doc/analyzer"), ("also", "manual"))]
    c.hold(len(said) == 4 and all(re.search(w, line) for w, line in zip(want, said)), "make install prints what is where", said)
    copy = os.path.join(scratch, "copy")
    shutil.copytree(tree, copy, symlinks=True)
    other = os.path.join(copy, prefix, "share/doc/other")
    os.makedirs(other)
    q = run(["make", "--no-print-directory", "-s", "BUILD=" + build, "DESTDIR=" + copy, "uninstall"], cwd=ROOT)
    left = sorted(os.path.join(d, f) for d, _, fs in os.walk(copy) for f in fs)
    c.hold(q.returncode == 0 and not left and os.path.isdir(other), "make uninstall removes all of it and nothing else",
           "%s %s" % (left[:3], q.stderr[-200:]))


def check_time(c, scratch):
    """A package is built of a clone, too, where git is not installed: the time is that of the Makefile."""
    line = next(x for x in read(PACKAGING, "deb.sh").splitlines() if x.startswith("epoch="))
    tools = os.path.join(scratch, "tools")
    os.makedirs(tools)
    os.symlink(shutil.which("stat"), os.path.join(tools, "stat"))
    q = run(["/bin/sh", "-e", "-c", line + '\necho "$epoch"'], cwd=ROOT, env={"PATH": tools})
    c.hold(q.stdout.strip() == str(int(os.stat(os.path.join(ROOT, "Makefile")).st_mtime)), "packages are built without git", q.stdout + q.stderr)


def check_dist(c, build, scratch):
    sums = []
    for _ in range(2):
        q = run(["make", "--no-print-directory", "-s", "BUILD=" + build, "dist"], cwd=ROOT)
        sums.append(q.stdout.split()[:1])
    c.hold(sums[0] and sums[0] == sums[1], "make dist gives the same bytes twice", str(sums))
    archives = [f for f in os.listdir(os.path.join(build, "dist")) if f.endswith(".tar.gz")]
    tree = os.path.join(scratch, "dist")
    os.makedirs(tree)
    run(["tar", "-xzf", os.path.join(build, "dist", archives[0]), "-C", tree])
    inner = os.path.join(tree, os.listdir(tree)[0])
    c.hold(os.path.isfile(os.path.join(inner, "Makefile")) and not os.path.exists(os.path.join(inner, "build")), "and it has the tree")
    env = {k: v for k, v in os.environ.items() if not k.startswith(("MAKE", "MFLAGS"))}
    q = run(["make", "--no-print-directory", "-s", "BUILD=build", "dist"], cwd=inner, env=env)
    c.hold(q.stdout.split()[:1] == sums[0], "an archive of an archive is the same", "%s %s" % (q.stdout.split()[:1], q.stderr[-200:]))


def check_sbom(c, analyzer):
    q = run([sys.executable, os.path.join(PACKAGING, "sbom.py"), analyzer])
    sbom = json.loads(q.stdout)
    names = {p["name"] for p in sbom["components"]}
    needed = set(re.findall(r"NEEDED.*\[(.*?)\]", run(["readelf", "-d", analyzer]).stdout))
    put = re.search(r"^statically linked: *(.*)$", run([analyzer, "version"]).stdout, re.M)
    needed |= set(put.group(1).split() if put else [])
    c.hold(sbom["bomFormat"] == "CycloneDX" and len(needed) > 8, "the list of libraries is CycloneDX")
    c.hold(needed <= names and "chart.js" in names, "it has every library", ", ".join(sorted(needed - names)))
    nameless = [p["name"] for p in sbom["components"] if shutil.which("dpkg-query") and not p["version"]]
    c.hold(not nameless, "with its version", ", ".join(nameless))
    c.hold(q.stdout == run([sys.executable, os.path.join(PACKAGING, "sbom.py"), analyzer]).stdout, "it is the same twice")


def check_security(c, analyzer):
    """What src/docs/security.md promises of the program, and that the tests it names are there."""
    used = set(re.findall(r" U (\w+)", run(["nm", "-D", analyzer]).stdout))
    bad = used & {"getaddrinfo", "gethostbyname", "system", "popen"}
    for name, header, only in (("connect", "sys/socket.h", "src/serve/transport.c"), ("dlopen", "dlfcn.h", "src/reports/xlsx/xlsx_lib.c")):
        callers = [os.path.relpath(f, ROOT) for f in glob.glob(os.path.join(ROOT, "src", "**", "*.c"), recursive=True)
                   if header in read(f) and re.search(r"\b%s\(" % name, read(f))]
        c.hold(callers == [only], "only %s calls %s" % (only, name), " ".join(callers))
    c.hold("open" in used or "open64" in used or "openat" in used, "the program's functions are known")
    c.hold(not bad, "it looks up no host and runs no shell", ", ".join(sorted(bad)))
    named = re.findall(r"`(tests/[\w./*]+)`", read(ROOT, "src", "docs", "security.md"))
    missing = [n for n in named if not glob.glob(os.path.join(ROOT, n))]
    c.hold(len(named) > 10 and not missing, "the tests that docs/security.md names are there", ", ".join(missing))


def packages(text, after):
    """Names of Debian packages after a command, over lines that go on."""
    m = re.search(after + r"((?:[^\n]*\\\n)*[^\n]*)", text)
    return set(re.findall(r"(?<!\S)([a-z][a-z0-9.+-]+)(?!\S)", m.group(1).replace("\\\n", " ").split("&&")[0])) if m else set()


def check_needs(c):
    """One list of what a build needs, wherever it is written."""
    want = packages(read(ROOT, "example", "run.sh"), r"need\.sh\" ") - {"python3"}
    for name, got in (("Dockerfile", packages(read(PACKAGING, "Dockerfile"), r"--no-install-recommends ")),
                      ("action.yml", packages(read(PACKAGING, "action", "action.yml"), r"sh tests/need\.sh "))):
        c.hold(len(want) > 10 and got == want, "%s installs what a build needs" % name, ", ".join(sorted(got ^ want)))
    # its base image has a compiler; one with sanitizers needs libraries that have them, so that inflating stays with
    # zlib
    got = packages(read(ROOT, "tests", "fuzz", "oss-fuzz", "Dockerfile"), r"apt-get install -y ") - {"zip", "patchelf"}
    lacks = want - got - {"gcc", "libc6-dev", "libisal-dev", "libzstd-dev"}
    c.hold(len(got) > 10 and not lacks, "the Dockerfile for OSS-Fuzz installs what a build needs", ", ".join(sorted(lacks)))
    control = re.search(r"^Build-Depends: (.*(?:\n .*)*)", read(PACKAGING, "debian", "control"), re.M).group(1)
    got = {re.sub(r"[ \[(].*", "", w.strip()) for w in control.split(",")} | {"gcc", "make", "libc6-dev"}
    c.hold(want <= got, "debian/control names what a build needs", ", ".join(sorted(want - got)))


def steps_of(text):
    """The steps of a composite action: (id, env, script)."""
    for part in re.split(r"^    - name: ", text, flags=re.M)[1:]:
        script = re.search(r"^      run: \|\n((?:        .*\n|\n)*)", part + "\n", re.M).group(1)
        step = re.search(r"^      id: (\S+)", part, re.M)
        env = dict(re.findall(r"^        ([A-Z_]+): (.*)$", part.split("      run:")[0], re.M))
        yield step and step.group(1), env, re.sub(r"^        ", "", script, flags=re.M)


def check_action(c, analyzer, scratch):
    text = read(PACKAGING, "action", "action.yml")
    defaults = dict(re.findall(r"^  (\w+):\n    description: .*\n    default: '?([^'\n]*)'?$", text, re.M))
    c.hold(defaults.get("reports") == "analyzer-reports" and defaults.get("fail") == "true", "the action has its inputs", str(defaults))
    work = os.path.join(scratch, "work")
    os.makedirs(os.path.join(scratch, "bin"))
    os.symlink(analyzer, os.path.join(scratch, "bin", "analyzer"))
    shutil.copytree(os.path.join(ROOT, "example"), work)

    def act(**given):
        """Status of the job, exit status that the action gives out, output of the steps, the summary."""
        inputs = dict(defaults, **given)
        outputs, said = {}, ""
        files = {k: os.path.join(scratch, k) for k in ("GITHUB_OUTPUT", "GITHUB_PATH", "GITHUB_STEP_SUMMARY")}
        for f in files.values():
            open(f, "w").close()
        for step, env, script in steps_of(text):
            def value(m):
                what = m.group(1).split(".")
                github = {"action_path": os.path.join(PACKAGING, "action"), "repository": "owner/name", "number": "7"}
                return {"inputs": inputs.get(what[-1], ""), "github": github.get(what[-1], ""),
                        "steps": outputs.get(what[1] + "." + what[-1], "") if len(what) > 2 else ""}[what[0]]
            env = {k: re.sub(r"\$\{\{ *([\w.]+) *\}\}", value, v) for k, v in env.items()}
            q = run(["sh", "-e", "-c", script], cwd=work, env=dict(os.environ, GITHUB_ACTIONS="true", **files, **env,
                                                                    PATH=os.path.join(scratch, "bin") + ":" + os.environ["PATH"]))
            said += q.stdout + q.stderr
            if step:
                outputs.update({step + "." + k: v for k, v in re.findall(r"^(\w+)=(.*)$", read(files["GITHUB_OUTPUT"]), re.M)})
            if q.returncode:
                return q.returncode, outputs.get("gate.status"), said, read(files["GITHUB_STEP_SUMMARY"])
        return 0, outputs.get("gate.status"), said, read(files["GITHUB_STEP_SUMMARY"])

    same, slow = "pytorch/train_step.json", "slow.json"
    trace = json.loads(read(work, same))
    for e in trace["traceEvents"]:
        if e.get("cat") == "kernel":
            e["dur"] = e["dur"] * 1.5
    json.dump(trace, open(os.path.join(work, slow), "w"))
    job, status, said, summary = act(compare="%s %s" % (same, same))
    c.hold((job, status) == (0, "0"), "equal runs pass", "%s %s %s" % (job, status, said[-300:]))
    c.hold(summary and os.listdir(os.path.join(work, "analyzer-reports")), "and leave a summary and reports", summary[:100])
    job, status, said, summary = act(compare="%s %s" % (same, slow), reports="r")
    c.hold((job, status) == (1, "1") and "::error" in said, "a slower run fails with an annotation", "%s %s %s" % (job, status, said[-300:]))
    job, status, said, _ = act(compare="%s %s" % (same, slow), fail="false")
    c.hold((job, status) == (0, "1"), "fail: false only says so", "%s %s" % (job, status))
    gh, calls = os.path.join(scratch, "bin", "gh"), os.path.join(scratch, "calls")
    for earlier, wanted in (("", "api repos/owner/name/issues/7/comments -F body=@analyzer-reports/gates.comment.md"),
                            ("33", "api -X PATCH repos/owner/name/issues/comments/33 -F body=@analyzer-reports/gates.comment.md")):
        with open(gh, "w") as f:
            f.write("#!/bin/sh\necho \"$*\" >>'%s'\ncase $* in *--jq*) echo %s ;; esac\n" % (calls, earlier))
        os.chmod(gh, 0o755)
        open(calls, "w").close()
        job, status, said, _ = act(compare="%s %s" % (same, slow), token="secret")
        made = read(calls).splitlines()
        c.hold((job, status) == (1, "1") and len(made) == 2 and made[1] == wanted, "a pull request gets %s comment" % ("its old" if earlier else "a"),
               "%s %s" % (made, said[-300:]))
    comment = read(work, "analyzer-reports", "gates.comment.md")
    c.hold(comment.startswith("<!-- analyzer gate -->\n### Performance: fail") and len(comment.splitlines()) <= 30 and "per step" in comment and
           "<details>" in comment, "the comment says what changed in at most 30 lines", comment)
    open(calls, "w").close()
    act(compare="%s %s" % (same, slow))
    c.hold(read(calls) == "", "without a token there is none")
    config = '{ "inputs": [ { "path": "pytorch/train_step.json" } ], "gates": { "baseline": "none.json" } }'
    open(os.path.join(work, "gates.json"), "w").write(config)
    job, status, said, _ = act(config="gates.json", fail="false")
    c.hold(job == 3 and status == "3", "no baseline is inconclusive, and fails", "%s %s %s" % (job, status, said[-300:]))
    job, status, said, _ = act(config="missing.json")
    c.hold(job == 2 and status == "2", "a configuration that is not there fails", "%s %s" % (job, status))
    job, status, said, _ = act(compare="x;touch$IFS injected y", options="$(touch injected)")
    c.hold(job != 0 and not os.path.exists(os.path.join(work, "injected")), "inputs are words, not commands", said[-200:])


def list_of(text, name):
    """The commands of a list of a job: a block ("- |") keeps its lines; others are one line, of which YAML would take ": "
    outside of quotes around all of it for a mapping."""
    body = re.search(r"^  %s:\n((?:    .*\n)+)" % name, text, re.M).group(1)
    for part in re.split(r"^    - ", body, flags=re.M)[1:]:
        if part.startswith("|\n"):
            yield re.sub(r"^      ", "", part[2:], flags=re.M)
            continue
        line = " ".join(part.split())
        if ": " in line or " #" in line:
            raise ValueError("no command to YAML: " + line)
        yield line


def check_gitlab(c, analyzer, scratch):
    """The template's script as a runner executes it, with a program in place of curl."""
    text = read(PACKAGING, "gitlab", "analyzer.yml")
    variables = dict(re.findall(r"^    (ANALYZER_\w+): '?([^'\n#]*?)'?(?: #.*)?$", text, re.M))
    work, calls = os.path.join(scratch, "gitlab"), os.path.join(scratch, "curl-calls")
    shutil.copytree(os.path.join(ROOT, "example", "pytorch"), work)
    programs = os.path.join(scratch, "gitlab-bin")
    os.makedirs(programs)
    os.symlink(analyzer, os.path.join(programs, "analyzer"))
    with open(os.path.join(programs, "curl"), "w") as f:
        f.write("#!/bin/sh\nfor w; do echo \"$w\"; done >>'%s'\n" % calls)
    os.chmod(os.path.join(programs, "curl"), 0o755)
    with open(os.path.join(work, "gate.json"), "w") as f:
        f.write('{ "inputs": [ { "path": "${PROFILE:-train_step.json}", "title": "train" } ], "gates": { "baseline": "train_step_perf_report.json" } }')
    run([analyzer, "train_step.json", "-q", "--format", "json", "-o", "."], cwd=work)

    def job(**given):
        open(calls, "w").close()
        env = dict(os.environ, **variables, CI_API_V4_URL="https://host/api/v4", CI_PROJECT_ID="5", PATH=programs + ":" + os.environ["PATH"])
        env.update(given)
        status, said = 0, ""
        for line in list_of(text, "script"):
            if not status:
                q = run(["sh", "-c", line], cwd=work, env=env)
                status, said = q.returncode, said + q.stdout + q.stderr
        for line in list_of(text, "after_script"):
            said += run(["sh", "-c", line], cwd=work, env=env).stderr
        return status, said, read(calls)

    status, said, called = job()
    reports = os.path.join(work, variables["ANALYZER_REPORTS"])
    c.hold(status == 0 and not called, "GitLab: equal runs pass, without a token no note", said[-300:])
    c.hold("junit: $ANALYZER_REPORTS/gates.xml" in text and os.path.exists(os.path.join(reports, "gates.xml")), "and leave JUnit where the job has it")
    status, said, called = job(PROFILE="train_step_pageable.json", ANALYZER_TOKEN="secret", CI_MERGE_REQUEST_IID="9")
    c.hold(status == 1 and "exposed copies: 35 -> 142 us per step (median)" in said, "GitLab: a slower run fails", said[-300:])
    c.hold("https://host/api/v4/projects/5/merge_requests/9/notes" in called and "body@analyzer-reports/gates.comment.md" in called,
           "and writes a note on the merge request", called)
    os.remove(os.path.join(programs, "curl"))
    for name in ("sh", "mkdir"):
        os.symlink(shutil.which(name), os.path.join(programs, name))
    status, said, called = job(PROFILE="train_step_pageable.json", ANALYZER_TOKEN="secret", CI_MERGE_REQUEST_IID="9", PATH=programs)
    c.hold(status == 1 and "has no curl" in said, "GitLab: an image without curl says why there is no note", said[-300:])


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--analyzer", default=os.path.join(ROOT, "build", "analyzer"))
    p.add_argument("--build", default=os.path.join(ROOT, "build"))
    a = p.parse_args()
    analyzer, build = os.path.abspath(a.analyzer), os.path.abspath(a.build)
    c = Checks()
    commands = re.findall(r"^  ([a-z][a-z-]*) ", run([analyzer, "help"]).stdout, re.M)
    with tempfile.TemporaryDirectory() as scratch:
        check_manual(c, analyzer, commands, scratch)
        check_completion(c, analyzer, scratch)
        check_install(c, build, scratch)
        check_time(c, scratch)
        check_dist(c, build, scratch)
        check_sbom(c, analyzer)
        check_security(c, analyzer)
        check_needs(c)
        check_action(c, analyzer, scratch)
        check_gitlab(c, analyzer, scratch)
    print("%d passed, %d failed" % (c.passed, c.failed))
    return 1 if c.failed else 0


if __name__ == "__main__":
    sys.exit(main())
