#!/usr/bin/env python3
"""Mutation test: changes one operator of the program at a time and reports the changes that no test detects.

`make mutate` builds the trees (src/packaging/mutate.mk) and calls this. A mutant is one source compiled again into a small
library that is loaded before the library of the whole program. The tests that execute the line are run until one fails or
exceeds its time: the programs of tests/unit, then the command lines of tests/golden and the scripts of tests/stages.sh and
tests/shared-suites. What survives is run once more with the address sanitizer, by its nearest tests. Which tests execute a
line is recorded in one run of each and kept in BUILD/cover.json until the sources or the files of the test change.

With --check (make mutate-smoke): unit tests and command lines only, no sanitizer; a survivor that is not in
tests/mutate-survivors is a failure. Mutants are compiled and the tests run in a copy of the tree: it may be edited
meanwhile, and a mutant may write anywhere.
"""
import argparse
import bisect
import collections
import concurrent.futures
import fnmatch
import glob
import hashlib
import json
import os
import queue
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import mutate_sites  # noqa: E402

NEAREST = 8  # tests with the sanitizer
BUDGET = 30  # seconds of a processor that the tests of one mutant may be expected to take; the nearest ones that fit are run
# Scripts of tests/stages.sh and tests/shared-suites that need no other build than that of the mutants.
SCRIPT = r'^(?:(?:stage_\w+\(\) \{)? +counted \w+ )?((?:"\$PYTHON"|sh tests/examples)(?:[^$\n\\;]|\$(?:ANALYZER|EXAMPLE_DATA|SRC|SHARED|BUILD/tools)\b)*?)(?:; \})?$'
# Parts of a slow script, each a test: memory that fails in a command, and groups of other faults.
PARTS = {'tests/faults/campaign.py': ['for it: ' + c for c in (
    'multirank', 'compare', 'gate', 'probe', 'init', 'classify', 'merge', 'map', 'replay', 'check-config', 'schema', 'list', 'help', 'query')]
    + ['Outputs that cannot', 'Names and kinds', 'Numbers at', 'Hostile text', 'Scripts of', 'Standard', 'Calls that fail: history',
       'Calls that fail: serve', 'Calls that fail: slurm', 'Calls that fail: bisect', 'Calls that fail: reduce']}
SLOW = 60  # seconds of a processor; slower scripts are not used
LONG = 5  # seconds of a processor; longer tests are run after all others
AROUND = 12  # lines before and after a mutant's
ASAN = 'detect_odr_violation=0:symbolize=0:quarantine_size_mb=8:hard_rss_limit_mb=2048:allocator_may_return_null=1'
KILLED, SURVIVED, EQUIVALENT, REJECTED = 'killed', 'survived', 'equivalent', 'not compiled'


def output(command):
    return subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout


class Test:
    def __init__(self, kind, name):
        self.kind, self.name = kind, name
        self.seconds = self.cpu = 1.0  # that it takes, and of a processor
        self.ok = None
        self.runs = self.kills = 0  # mutants that it was run for, and those that it killed

    def key(self):
        return self.kind + ' ' + self.name


class Tree:
    """The instrumented build and the copy of the checkout that tests run in."""

    def __init__(self, options, build, make):
        self.root = os.getcwd()
        self.build = os.path.abspath(build)
        self.work = os.path.join(self.build, 'check' if options.check else 'work')
        self.copy = os.path.join(self.work, 'tree')
        self.library = os.path.join(self.build, 'loaded', 'libprogram.so')
        self.example_data = os.path.abspath(options.example_data)
        self.shared = os.environ.get('SHARED') or os.path.join(os.path.dirname(self.root), 'shared')
        self.make = shlex.split(make)
        self.sources = sorted(glob.glob('src/**/*.c', recursive=True))
        self.tests = [Test('unit', name) for p in sorted(glob.glob('tests/unit/*.c')) for name in self.programs(p)]
        self.tests += [Test('golden', os.path.basename(p)[:-3]) for p in sorted(glob.glob('tests/golden/cases/*.sh'))]
        self.tests += [Test('script', s) for s in self.scripts()]
        self.tests = [t for t in self.tests if t.kind in options.kinds.split(',')]
        self.lock = threading.Lock()
        self.linking = None
        self.spent = threading.local()  # cpu: seconds of the last test of this thread
        self.copy_tree()

    @staticmethod
    def programs(source):
        """The program of a source; one for each of its tests where it takes the name of one."""
        name = os.path.basename(source)[:-2]
        with open(source, encoding='utf-8') as f:
            text = f.read()
        of_one = re.findall(r'\bT\((\w+)\),', text) if 'cmocka_set_test_filter(' in text else []
        return [name + ' ' + t for t in of_one] or [name]

    def scripts(self):
        found = []
        for path in ('tests/stages.sh', 'tests/shared-suites'):
            with open(path, encoding='utf-8') as f:
                found += re.findall(SCRIPT, f.read(), re.M)
        found = [s for s in found if '$SHARED' not in s or os.path.isdir(self.shared)]
        whole = [s for s in found if not any(p in s for p in PARTS)]
        return whole + ["%s --only '%s'" % (s, part) for s in found for p in PARTS if p in s for part in PARTS[p]]

    def copy_tree(self):
        shutil.rmtree(self.copy, ignore_errors=True)
        leave = shutil.ignore_patterns('build*', '.git', '__pycache__')
        shutil.copytree(self.root, self.copy, ignore=leave, symlinks=True)

    def object_of(self, source):
        return os.path.join(self.build, 'obj', source[len('src/'):-2] + '.o')

    def commands(self, sources):
        """How the Makefile compiles each of these: lists of arguments without input and output."""
        objects = [os.path.relpath(self.object_of(s)) for s in sources]
        shown = output(self.make + ['--no-print-directory', '-n', '-B', 'V=1'] + objects)
        found = {}
        for line in shown.splitlines():
            if ' -c -o ' in line:
                args = shlex.split(line)
                at = args.index('-o')
                found[args[at + 2]] = [a for a in args[:at] + args[at + 3:] if a not in ('-MMD', '-MP', '-c', '-Werror')]
        return found

    def whole(self, source, instead, to):
        """Links the library again with another object for this source; True if that succeeds."""
        with self.lock:
            if not self.linking:
                shown = output(self.make + ['--no-print-directory', '-n', '-W', 'tests/tools/mutate_cover.c', 'V=1', os.path.relpath(self.library)])
                self.linking = shlex.split(next(line for line in shown.splitlines() if ' -shared ' in line and '/libprogram.so' in line))
        own = os.path.relpath(self.object_of(source))
        command = [instead if a == own else to if a.endswith('/libprogram.so') else a for a in self.linking]
        return subprocess.run(command, check=False).returncode == 0

    def passes(self, test):
        """True if the test passes without a mutant; looked at once, and only if no coverage map did."""
        if test.ok is None:
            os.makedirs(os.path.join(self.work, 'none'), exist_ok=True)
            with self.lock:
                test.ok = self.run(test, 'none', 5 + 6 * test.seconds)
        return test.ok

    def fails(self, test, worker):
        """True if the test fails with the worker's mutant and passes without one; what takes too long, in as much time."""
        limit = 5 + 6 * test.seconds
        passed = self.run(test, worker, limit)
        if passed is None:
            os.makedirs(os.path.join(self.work, worker, 'none'), exist_ok=True)
            return self.run(test, os.path.join(worker, 'none'), limit) is True
        if passed or not self.passes(test):
            return False
        # A script of other processes may fail because the machine is busy: twice, then.
        return test.kind != 'script' or not self.run(test, worker, limit)

    def run(self, test, worker, seconds, more=None):
        """True if the test passes, None if it takes longer."""
        folder = os.path.join(self.work, worker)
        scratch = os.path.join(folder, 'tmp')
        shutil.rmtree(scratch, ignore_errors=True)
        os.makedirs(scratch)
        env = dict(os.environ, TMPDIR=scratch, LD_LIBRARY_PATH=folder, ASAN_OPTIONS=ASAN, SRC=self.copy,
                   ANALYZER=os.path.join(self.build, 'mutated-program'), EXAMPLE_DATA=self.example_data, SHARED=self.shared,
                   BUILD=os.path.join(self.build, 'checks'),
                   GOLDEN_TIMEOUT=str(int(seconds) + 1), **(more or {}))
        if test.kind == 'unit':
            command = [os.path.join(self.build, 'unit-shared', *test.name.split()[:1]), *test.name.split()[1:]]
        elif test.kind == 'golden':
            command = ['sh', 'tests/golden/run.sh', test.name]
        else:
            command = ['sh', '-c', test.name]
        limits = (lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 31, resource.RLIM_INFINITY)))
        child = subprocess.Popen(command, cwd=self.copy, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL, start_new_session=True, preexec_fn=limits)
        status, pause, end = None, 0.002, time.time() + seconds
        while status is None and time.time() < end:
            pid, code, usage = os.wait4(child.pid, os.WNOHANG)
            if pid:
                status, child.returncode = code, code
                self.spent.cpu = usage.ru_utime + usage.ru_stime
            else:
                time.sleep(pause)
                pause = min(2 * pause, 0.1)
        try:
            os.killpg(child.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        if status is None:
            child.wait()
        return None if status is None else status == 0


class Objects:
    """Who refers to whom: distance of a source from each unit test over undefined symbols."""

    def __init__(self, tree):
        paths = {tree.object_of(s): s for s in tree.sources if os.path.exists(tree.object_of(s))}
        found = self.symbols(list(paths), [])
        self.needs = {paths[p]: needed for p, (_, needed) in found.items()}
        home = {name: paths[p] for p, (defined, _) in found.items() for name in defined}
        self.home = home
        self.tests = {}
        for test in tree.tests:
            if test.kind == 'unit':
                program = os.path.join(tree.build, 'unit-shared', test.name.split()[0])
                needs = self.symbols([program], ['-D'])[program][1]
                self.tests[test] = collections.Counter(home[s] for s in needs if s in home)
        self.near = {test: self.distances(direct) for test, direct in self.tests.items()}

    @staticmethod
    def symbols(paths, more):
        """Of each file: names that it defines, and names that it needs."""
        found = {p: (set(), set()) for p in paths}
        for line in output(['nm', '-A', '-P', '-g', *more, *paths]).splitlines():
            path, name, kind = line.split()[:3]
            found[path[:-1]][kind in 'Uw'].add(name)
        return found

    def distances(self, direct):
        far = {s: 1 for s in direct}
        todo = collections.deque(direct)
        while todo:
            s = todo.popleft()
            for other in {self.home[n] for n in self.needs[s] if n in self.home}:
                if other not in far:
                    far[other] = far[s] + 1
                    todo.append(other)
        return far

    def order(self, test, source, around):
        """Sort key: unit tests of this file's name, of its room, by distance, by lines around the mutant that they execute, by
        references, then the quick ones; then command lines and scripts, those first that execute most lines around it, by the
        time that they have taken for each mutant that they killed; slow tests last."""
        room, stem = source.split('/')[1], os.path.splitext(os.path.basename(source))[0]
        test_room, _, name = test.name.partition('_')
        named = test.kind == 'unit' and room == test_room and (name in stem or stem in name)
        if test.kind != 'unit' or test.cpu > LONG:
            return (10 if test.cpu > LONG else 9, 0, -around, 0, test.cpu * (test.runs + 8) / (test.kills + 1))
        far = self.near[test].get(source, 8)
        return (0 if named else min(far, 8), room != test_room, -around, -self.tests[test].get(source, 0), test.cpu)


class Cover:
    """Which tests execute a line."""

    def __init__(self, tree, options):
        self.tree = tree
        self.path = os.path.join(tree.build, 'cover.json')
        self.stored = 0
        key = self.digest([tree.library])
        try:
            with open(self.path, encoding='utf-8') as f:
                kept = json.load(f)
        except (OSError, ValueError):
            kept = {}
        if kept.get('key') != key:
            kept = {'key': key, 'tests': {}}
        prints = {t: self.digest(self.inputs(t)) for t in tree.tests}
        missing = [t for t in tree.tests if kept['tests'].get(t.key(), {}).get('print') != prints[t]]
        if missing:
            for test, entry in self.make(missing, options.jobs):
                kept['tests'][test.key()] = dict(entry, **{'print': prints[test]})
                self.store(kept)
            self.stored = 0
            self.store(kept)
        self.lines = collections.defaultdict(lambda: collections.defaultdict(list))
        for test in tree.tests:
            entry = kept['tests'][test.key()]
            test.seconds, test.cpu, test.ok = entry['seconds'], entry.get('cpu', entry['seconds']), entry['ok']
            for file, lines in entry['lines'].items():
                for line in lines:
                    self.lines[file][line].append(test.key())

        for test in tree.tests:
            test.runs, test.kills = kept['tests'][test.key()].get('kills', (0, 0))
        self.kept = kept

    def keep(self):
        """Stores how often each test has killed a mutant: the next run begins with those that do."""
        for test in self.tree.tests:
            self.kept['tests'][test.key()]['kills'] = (test.runs, test.kills)
        self.stored = 0
        self.store(self.kept)

    def store(self, kept):
        """Not more than twice a minute: a run that is stopped has lost little."""
        if time.time() - self.stored > 30:
            with open(self.path + '.new', 'w', encoding='utf-8') as f:
                json.dump(kept, f)
            os.replace(self.path + '.new', self.path)
            self.stored = time.time()

    def inputs(self, test):
        """Files that a test reads: its own, the data of all, and the scripts that its text names, directly or not."""
        if test.kind == 'unit':
            own = [os.path.join(self.tree.build, 'unit-shared', test.name.split()[0])]
        elif test.kind == 'golden':
            own = glob.glob('tests/golden/cases/%s.*' % glob.escape(test.name)) + ['tests/golden/run.sh']
        else:
            words = [w.strip('"').replace('$SHARED', self.tree.shared) for w in test.name.split()]
            own = [w for w in words if os.path.isfile(w)]
        for folder in ('tests/data', 'example', 'configs'):
            own += glob.glob(folder + '/**', recursive=True)
        scripts = {os.path.basename(p): p for p in glob.glob('tests/*.py') + glob.glob('tests/gen/*') + glob.glob('tests/tools/*.sh')}
        found, todo = set(), [p for p in own if p.endswith(('.sh', '.py')) and p.startswith('tests/')]
        while todo:
            path = todo.pop()
            found.add(path)
            with open(path, encoding='utf-8', errors='replace') as f:
                words = set(re.findall(r'\w+', f.read()))
            todo += [p for name, p in scripts.items() if os.path.isfile(p) and p not in found and name.split('.')[0] in words]
        return sorted({p for p in own if os.path.isfile(p)} | found)

    @staticmethod
    def digest(paths):
        h = hashlib.sha256()
        for path in paths:
            h.update(path.encode())
            with open(path, 'rb') as f:
                h.update(f.read())
        return h.hexdigest()

    def blocks(self):
        """Offsets of the calls of the coverage function, sorted, and of the rows of the line table: (offset, file, line)."""
        text = subprocess.Popen(['objdump', '-d', '--no-show-raw-insn', self.tree.library], stdout=subprocess.PIPE, text=True)
        starts, after = [], False
        for line in text.stdout:
            if after and line.startswith(' '):
                starts.append(int(line.split(':', 1)[0], 16))
                after = False
            elif '__sanitizer_cov_trace_pc>' in line and ('call' in line or '\tbl' in line):
                after = True
        text.wait()
        found = re.findall(r'^(\S+)\s+(\d+)\s+(0x[0-9a-f]+)', output(['objdump', '--dwarf=decodedline', self.tree.library]), re.M)
        # The line table has names without folders; addr2line has the folders of the source that was compiled.
        places = subprocess.run(['addr2line', '-e', self.tree.library], input=''.join(f[2] + '\n' for f in found), text=True,
                                stdout=subprocess.PIPE, check=True).stdout.splitlines()
        # An object may come out of a compiler cache, from another folder: what counts is the path from src/ on.
        rows = []
        for (name, line, address), place in zip(found, places):
            path = re.sub('^.*/(?=src/)', '', place.split(':')[0])
            if os.path.basename(path) == name:
                rows.append((int(address, 16), path, int(line)))
        return starts, rows

    def make(self, tests, jobs):
        """Runs these tests; of each: seconds, whether it passes, and the lines that it executes."""
        begin = time.time()
        starts, rows = self.blocks()
        index = {s: i for i, s in enumerate(starts)}
        of_block = collections.defaultdict(set)
        for offset, file, line in rows:
            # A block begins with the call (of 5 bytes, or 4), a start is the address after it.
            at = bisect.bisect_right(starts, offset + 5) - 1
            if at >= 0 and file.endswith('.c'):
                of_block[at].add((file, line))
        assert len(of_block) > len(starts) // 2, 'the line table of the program could not be read'
        free = queue.Queue()
        for i in range(jobs):
            free.put('cover%d' % i)
            os.makedirs(os.path.join(self.tree.work, 'cover%d' % i), exist_ok=True)

        def one(test):
            worker = free.get()
            marks = os.path.join(self.tree.work, worker, 'marks')
            if os.path.exists(marks):
                os.remove(marks)
            from_time = time.time()
            limit = 6 * SLOW if test.kind == 'script' else 300  # other work may share the processors
            ok = self.tree.run(test, worker, limit, {'MUTATE_COVER': marks})
            seconds, cpu = time.time() - from_time, getattr(self.tree.spent, 'cpu', 0)
            ok = ok or (cpu < SLOW and seconds < limit and self.tree.run(test, worker, limit, {'MUTATE_COVER': marks}))
            data = b''
            if os.path.exists(marks):
                with open(marks, 'rb') as f:
                    data = f.read()
            free.put(worker)
            lines = collections.defaultdict(set)
            for m in re.finditer(b'\x01', data):
                for file, line in of_block[index[m.start()]] if m.start() in index else ():
                    lines[file].add(line)
            return test, {'seconds': seconds, 'cpu': cpu, 'ok': ok and (test.kind != 'script' or cpu < SLOW),
                          'lines': {file: sorted(of_file) for file, of_file in lines.items()}}

        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            yield from pool.map(one, tests)
        print('coverage map: %d tests in %d s' % (len(tests), time.time() - begin), flush=True)

    def of(self, mutant):
        """Keys of the tests that execute the line; where a line has no code of its own, those of its neighbors."""
        lines = self.lines.get(mutant.path, {})
        if mutant.function == 'enum':
            return sorted({key for tests in lines.values() for key in tests})
        for line in (mutant.line, *range(mutant.line - 1, max(mutant.line - 8, 0), -1)):
            if line in lines:
                return lines[line]
        # In a long table: the code that comes after it reads it.
        after = [line for line in lines if line > mutant.line]
        return lines[min(after)] if after else []


    def around(self, mutant):
        """Of each test, by its key: how many of the lines next to the mutant's it executes. A test that leaves a function at the
        line is less likely to fail than one that goes on."""
        lines = self.lines.get(mutant.path, {})
        near = range(mutant.line - AROUND, mutant.line + AROUND + 1)
        return collections.Counter(key for line in near for key in lines.get(line, ()))


class Worker:
    def __init__(self, tree, number, sources, asan=None):
        self.tree, self.name, self.commands = tree, 'worker%d' % number, tree.commands(sources)
        self.asan = Worker(asan, number, sources) if asan else None
        self.folder = os.path.join(tree.work, self.name)
        os.makedirs(self.folder, exist_ok=True)

    def compile(self, command, source, text, to):
        """Compiles the text as if it were the source; False if the compiler rejects it."""
        path = os.path.join(self.folder, os.path.basename(source))
        with open(path, 'w', encoding='utf-8') as f:
            f.write(text)
        return subprocess.run(command + ['-w', '-c', '-o', to, path], cwd=self.tree.copy, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, check=False).returncode == 0

    def same_object(self, mutant, text):
        """True if an optimizing compiler makes the same object of both."""
        leave = ('-fsanitize', '-g', '-O', '-fno-omit', '-fno-sanitize')
        command = [a for a in self.commands[mutant.path] if not a.startswith(leave)] + ['-O2']
        made = []
        for version in (text, mutant.apply(text)):
            to = os.path.join(self.folder, 'compared.o')
            if not self.compile(command, mutant.path, version, to):
                return None
            with open(to, 'rb') as f:
                made.append(f.read())
        return made[0] == made[1]

    def link(self, mutant, text):
        command = [a for a in self.commands[mutant.path] if not a.startswith(('-fsanitize-coverage', '-g'))]
        to, library, whole = (os.path.join(self.folder, name) for name in ('mutant.o', 'libmutant.so', 'libprogram.so'))
        if not self.compile(command, mutant.path, mutant.apply(text), to):
            return False
        for old in (library, whole):
            if os.path.exists(old):
                os.remove(old)
        # A table that the linker makes of the pieces of all objects: it has those of the whole library, as its reader needs.
        if re.search(r'\] [A-Za-z_]\w* +PROGBITS| __st(?:art|op)_\w+$', output(['readelf', '-SsW', to]), re.M):
            return self.tree.whole(mutant.path, to, whole)
        sanitizer = [a for a in command if a.startswith('-fsanitize=')]
        return subprocess.run([command[0], '-shared', *sanitizer, '-Wl,-soname,libmutant.so', '-o', library, to],
                              check=False).returncode == 0

    def judge(self, mutant, tests):
        """(verdict, test that fails, number of tests run)."""
        with open(os.path.join(self.tree.copy, mutant.path), encoding='utf-8') as f:
            text = f.read()
        same = self.same_object(mutant, text)
        if same is None or (not same and not self.link(mutant, text)):
            return REJECTED, None, 0
        if same:
            return EQUIVALENT, None, 0
        chosen = tests(mutant)
        for i, test in enumerate(chosen):
            test.runs += 1
            if self.tree.fails(test, self.name):
                test.kills += 1
                return KILLED, test, i + 1
        if self.asan and chosen and self.asan.link(mutant, text):
            there = {t.key(): t for t in self.asan.tree.tests}
            for i, test in enumerate([t for t in chosen if t.kind != 'script'][:NEAREST]):
                other = there[test.key()]
                other.seconds = 1 + 4 * test.seconds
                if self.asan.tree.fails(other, self.name):
                    return KILLED, test, len(chosen) + i + 1
        return SURVIVED, None, len(chosen)


def mutants_of(tree, options):
    found = []
    for source in tree.sources:
        wanted = not options.files or any(fnmatch.fnmatch(source, p) for p in options.files.split())
        if source.startswith('src/mpi/') or not wanted:
            continue
        with open(source, encoding='utf-8') as f:
            found += mutate_sites.Finder(source, f.read()).all()
    return mutate_sites.in_order(found, options.seed)


def mutants_at(place):
    path, line = place.rsplit(':', 1)
    with open(path, encoding='utf-8') as f:
        return [m for m in mutate_sites.Finder(path, f.read()).all() if m.line == int(line)]


def listed(path):
    """Survivors that are known, with their reasons: 'FUNCTION(): CHANGE in: LINE ## REASON'."""
    known = {}
    with open(path, encoding='utf-8') as f:
        for line in f:
            what, _, reason = line.strip().partition(' ## ')
            if what and not what.startswith('#'):
                known[what] = reason
    return known


def table(results):
    rooms = collections.defaultdict(collections.Counter)
    for mutant, verdict, _, _ in results:
        rooms[mutant.path.split('/')[1]][verdict] += 1
    print('%-12s %7s %8s %11s' % ('room', 'killed', 'survived', 'equivalent'))
    for room, n in sorted(rooms.items()):
        print('%-12s %7d %8d %11d' % (room, n[KILLED], n[SURVIVED], n[EQUIVALENT]))


def report(results, options, known):
    survivors = [r[0] for r in results if r[1] == SURVIVED]
    killed = sum(r[1] == KILLED for r in results)
    table(results)
    bad = 0
    for m in survivors:
        reason = known.get(m.content())
        print('%s%s' % (m.place(), ' (known: %s)' % reason if reason else ''))
        print('    %s' % m.content())
        bad += not reason
    print('seed %s: %d of %d mutants killed (%.1f%%), %d equivalent' % (
        options.seed, killed, killed + len(survivors), 100 * killed / max(1, killed + len(survivors)),
        sum(r[1] == EQUIVALENT for r in results)))
    if options.check:
        print('%d passed, %d failed' % (len(results) - sum(r[1] in (EQUIVALENT, REJECTED) for r in results) - bad, bad))
    return 1 if options.check and bad else 0


def run_all(tree, workers, mutants, tests, n, verbose):
    """Judges mutants in their order until n of them were neither equivalent nor rejected by the compiler."""
    free = queue.Queue()
    for w in workers:
        free.put(w)

    def one(mutant):
        worker = free.get()
        begin = time.time()
        try:
            return (mutant, *worker.judge(mutant, tests)), time.time() - begin
        finally:
            free.put(worker)

    results, at = [], 0
    with concurrent.futures.ThreadPoolExecutor(len(workers)) as pool:
        while at < len(mutants):
            missing = n - sum(r[1] in (KILLED, SURVIVED) for r in results)
            if missing <= 0:
                break
            for result, seconds in pool.map(one, mutants[at:at + missing]):
                results.append(result)
                mutant, verdict, test, count = result
                if verbose:
                    by = ' by ' + test.key() if test else ''
                    print('%-12s %5.1f s %3d %s%s' % (verdict, seconds, count, mutant.place(), by), flush=True)
            at += missing
    return results


def parse():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument('--build', default='build/mutate')
    p.add_argument('--example-data', default='build/example-data')
    p.add_argument('--make', default='make BUILD=build/mutate')
    p.add_argument('-n', type=int, default=200)
    p.add_argument('--seed', default='1')
    p.add_argument('--files', help='patterns of sources, separated by spaces')
    p.add_argument('--jobs', type=int, default=os.cpu_count() or 2)
    p.add_argument('--asan', help='the make of the build with the sanitizer')
    p.add_argument('--kinds', help='kinds of tests to run (unit,golden,script); a map of unit tests is made sooner, and is part of the whole')
    p.add_argument('--check', action='store_true', help='without scripts; fail if a survivor is not in tests/mutate-survivors')
    p.add_argument('--at', help='only mutants of FILE:LINE; several separated by spaces')
    p.add_argument('--skip', type=int, default=0, help='leave out so many mutants, which an earlier run has judged')
    p.add_argument('-v', '--verbose', action='store_true')
    return p.parse_args()


def main():
    options = parse()
    options.kinds = options.kinds or ('unit,golden' if options.check else 'unit,golden,script')
    begin = time.time()
    os.environ['CCACHE_DISABLE'] = '1'
    tree = Tree(options, options.build, options.make)
    asan = Tree(options, options.build + '/asan', options.asan) if options.asan else None
    mutants = mutants_of(tree, options)
    if options.at:
        mutants = [m for place in options.at.split() for m in mutants_at(place)]
        options.n = len(mutants)
    ahead = mutants[options.skip:options.skip + 2 * options.n + 20]
    sources = sorted({m.path for m in ahead})
    objects = Objects(tree)
    cover = Cover(tree, options)
    by_key = {t.key(): t for t in tree.tests}

    def tests(mutant):
        chosen = [by_key[k] for k in cover.of(mutant) if k in by_key and by_key[k].ok]
        around = cover.around(mutant)
        chosen.sort(key=lambda t: objects.order(t, mutant.path, around[t.key()]))
        total, fit = 0, []
        for i, test in enumerate(chosen):
            if i and total + test.cpu > BUDGET:
                continue
            total += test.cpu
            fit.append(test)
        return fit

    failing = [t.key() for t in tree.tests if t.ok is False]
    if failing:
        print('not used, they fail without a mutant or are slow: ' + ', '.join(failing))
    workers = [Worker(tree, i, sources, asan) for i in range(options.jobs)]
    print('preparation: %d s' % (time.time() - begin), flush=True)
    results = run_all(tree, workers, ahead, tests, options.n, options.verbose)
    cover.keep()
    return report(results, options, listed('tests/mutate-survivors'))


if __name__ == '__main__':
    sys.exit(main())
