"""Reports: opening profiles, verdicts, SQL, comparisons."""
from __future__ import annotations

import builtins
import ctypes
import html
import json
import os
import tempfile
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ._library import ASKED, CANCELLED, LIB
from ._table import Table


@dataclass(frozen=True)
class Message:
    """A note, warning, error or hint about an input: FILE:line: problem 'subject'; remedy."""
    text: str
    severity: str
    input: int | None

    def __str__(self) -> str:
        return "%s: %s" % (self.severity, self.text)


class Error(Exception):
    """An input could not be analyzed, or a statement is invalid. `messages` has the reasons."""

    def __init__(self, code: int, messages: list[Message]) -> None:
        self.code, self.messages = code, messages
        reasons = [m.text for m in messages if m.severity == "error"]
        super().__init__("; ".join(reasons) or LIB.error_text(code).decode())


def version() -> str:
    """Version of the library."""
    return LIB.version().decode()


class Verdict:
    """The first screen of a report. str(verdict) is the text; verdict["findings"] and the other keys are the object
    `verdict` of schemas/result.schema.json."""

    def __init__(self, title: str, data: dict[str, Any]) -> None:
        self.title, self.data = title, data

    def __getitem__(self, key: str) -> Any:
        return self.data[key]

    def __contains__(self, key: object) -> bool:
        return key in self.data

    def keys(self) -> Any:
        return self.data.keys()

    @property
    def lines(self) -> list[dict[str, Any]]:
        """The lines of the text, each with kind, label, text and, of findings, rule, severity, evidence, time and share."""
        return self.data.get("lines", [])

    @property
    def findings(self) -> list[dict[str, Any]]:
        """Findings with their estimated savings; of a comparison its lines."""
        return self.data.get("findings", [x for x in self.lines if x.get("kind") == "finding"])

    def __str__(self) -> str:
        rows = [(x.get("label") or "", x["text"]) for x in self.lines]
        width = max([len(label) for label, _ in rows] or [0])
        return "\n".join([self.title] + [(label.rjust(width) + "  " + text) if label else text for label, text in rows])

    def __repr__(self) -> str:
        return "<Verdict of %s: %d findings>" % (self.title, len(self.findings))

    def _repr_html_(self) -> str:
        rows = "".join("<tr><th style='text-align:right;white-space:nowrap'>%s</th><td style='text-align:left'>%s</td></tr>" %
                       (html.escape(x.get("label") or ""), html.escape(x["text"])) for x in self.lines)
        return "<table><caption>%s</caption>%s</table>" % (html.escape(self.title), rows)


class _Handle:
    """Owner of a struct analyzer."""

    def __init__(self, pointer: ctypes.c_void_p) -> None:
        self.pointer = pointer
        self.asked: Any = None
        self.lock = threading.Lock()  # one thread at a time, where analyzer.h requires it

    def __del__(self, close: Any = LIB.close) -> None:
        close(self.pointer)

    def messages(self, first: int = 0) -> list[Message]:
        out = []
        for i in range(first, LIB.message_count(self.pointer)):
            about = LIB.message_input(self.pointer, i)
            out.append(Message(LIB.message_text(self.pointer, i).decode(),
                               ("note", "warning", "error", "hint")[LIB.message_severity(self.pointer, i)],
                               None if about < 0 else about))
        return out


class Report(Mapping[str, Table]):
    """The report of an input: a mapping from the ids of tables to tables.

    report[id] is a table of the report ("kernel_summary"), or a table of events ("kernels", "copies", "ops", "calls", ...;
    docs/query.md), which is read when it is first named."""

    def __init__(self, handle: _Handle, index: int) -> None:
        self._handle, self.index = handle, index
        self._tables: dict[str, Table] = {}

    # ---- the input ----
    @property
    def title(self) -> str:
        return LIB.input_title(self._handle.pointer, self.index).decode()

    @property
    def format(self) -> str:
        """Name of the format ("pytorch")."""
        return LIB.input_format(self._handle.pointer, self.index).decode()

    @property
    def messages(self) -> list[Message]:
        """Messages about this input, and those about no particular one."""
        return [m for m in self._handle.messages() if m.input in (None, self.index)]

    @property
    def inputs(self) -> list[Report]:
        """The reports of all inputs that were opened together."""
        return [self if i == self.index else Report(self._handle, i) for i in range(LIB.input_count(self._handle.pointer))]

    @property
    def verdict(self) -> Verdict:
        text = ctypes.c_char_p()
        with self._handle.lock:
            self._check(LIB.verdict(self._handle.pointer, self.index, text))
        return Verdict(self.title, json.loads(text.value or b"{}").get("verdict", {}))

    # ---- tables ----
    def __getitem__(self, name: str) -> Table:
        table = self._tables.get(name)
        if table is None:
            table = self._tables[name] = self._table(name)
        return table

    def _table(self, name: str) -> Table:
        found = LIB.table_find(self._handle.pointer, self.index, name.encode())
        columns = ctypes.c_void_p()
        if found:
            self._check(LIB.columns_open(found, columns))
            return Table(columns, name, LIB.table_title(found).decode())
        if name in self.event_tables:
            only = ""
            if LIB.input_count(self._handle.pointer) > 1:
                only = " WHERE input = '%s'" % self.title.replace("'", "''")
            table = self.query('SELECT * FROM "%s"%s' % (name, only))
            table.name = name
            return table
        raise KeyError("no table %r; tables of the report: %s; of events: %s" % (name, ", ".join(self), ", ".join(self.event_tables)))

    def __iter__(self) -> Iterator[str]:
        p = self._handle.pointer
        return (LIB.table_id(LIB.table_at(p, self.index, i)).decode() for i in range(LIB.table_count(p, self.index)))

    def __len__(self) -> int:
        return LIB.table_count(self._handle.pointer, self.index)

    def __contains__(self, name: object) -> bool:
        return name in list(self) or name in self.event_tables

    @property
    def event_tables(self) -> list[str]:
        """Tables of events and facts, which are the same for every format."""
        if LIB.input_count(self._handle.pointer) == 0 or self.format in ("", "comparison"):
            return []
        return list(self.query("SELECT name FROM tables WHERE kind <> 'report'")["name"])

    def query(self, sql: str) -> Table:
        """The result of one read-only SQL statement over all inputs that were opened together."""
        columns = ctypes.c_void_p()
        with self._handle.lock:
            self._check(LIB.query(self._handle.pointer, sql.encode(), columns))
        return Table(columns, "", "")

    # ---- other results ----
    def compare(self, other: Report | str | os.PathLike[str]) -> Report:
        """The comparison of this report, the baseline, with another one or with a file; a report of its own."""
        if not isinstance(other, Report):
            other = open(other)
        pointer = ctypes.c_void_p()
        code = LIB.compare(self._handle.pointer, self.index, other._handle.pointer, other.index, pointer)
        if code < 0:
            raise Error(code, [])
        return Report(_Handle(pointer), 0)

    def write(self, path: str | os.PathLike[str], format: str | None = None) -> None:
        """Writes a report file; the format is that of the extension if it is not given (html, xlsx, json, md, ...)."""
        name = format or os.path.splitext(os.fspath(path))[1].lstrip(".")
        with self._handle.lock:
            self._check(LIB.report(self._handle.pointer, self.index, {"db": "sqlite"}.get(name, name).encode(), os.fsencode(path)))

    def to_html(self) -> str:
        """The HTML report, one self-contained page."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "report.html")
            self.write(path)
            with builtins.open(path, encoding="utf-8") as f:
                return f.read()

    def _check(self, code: int) -> None:
        if code < 0:
            messages = self._handle.messages()
            last = [m for m in messages if m.severity == "error"][-1:]
            raise Error(code, last)

    def __repr__(self) -> str:
        return "<Report %s (%s): %d tables>" % (self.title, self.format, len(self))

    def _repr_html_(self) -> str:
        tables = "".join("<li><code>%s</code> %s</li>" % (html.escape(name), html.escape(self._title(name))) for name in self)
        return "%s<details><summary>%d tables</summary><ul>%s</ul></details>" % (self.verdict._repr_html_(), len(self), tables)

    def _title(self, name: str) -> str:
        return LIB.table_title(LIB.table_find(self._handle.pointer, self.index, name.encode())).decode()


def _prepare(pointer: ctypes.c_void_p, paths: tuple[Any, ...], config: Any, options: dict[str, Any]) -> None:
    def check(code: int) -> None:
        if code < 0:
            raise Error(code, [])
    if config is not None:
        check(LIB.config_file(pointer, os.fsencode(config)))
    for path in paths:
        check(LIB.add_path(pointer, os.fsencode(path)))
    for key, value in options.items():
        text = str(value).lower() if isinstance(value, bool) else ",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
        setter = LIB.set_value if key in ("jobs", "memory_limit") else LIB.set_option
        check(setter(pointer, key.encode(), text.encode()))


def open(*paths: str | os.PathLike[str], config: str | os.PathLike[str] | None = None, **options: Any) -> Report:
    """Analyzes a profile: files, folders or globs, as `analyzer PATH...` takes them, or the inputs of a configuration.

    Options are those of `analyzer help config` (num_of_iters=5, steps="marks"), and jobs and memory_limit ("2G").
    Returns the report of the first input; `report.inputs` has those of all. Ctrl-C ends the analysis.
    Raises Error if no input can be analyzed; defects of inputs are in `report.messages`."""
    pointer = ctypes.c_void_p()
    code = LIB.open(pointer)
    if code < 0:
        raise MemoryError
    handle = _Handle(pointer)
    _prepare(pointer, paths, config, options)
    stop = threading.Event()
    handle.asked = asked = ASKED(lambda _: stop.is_set())  # lives as long as the handle: statements ask, too
    LIB.on_cancel(pointer, asked, None)
    result: list[int] = []
    worker = threading.Thread(target=lambda: result.append(LIB.analyse(pointer)), daemon=True)
    worker.start()
    try:
        worker.join()
    except KeyboardInterrupt:
        stop.set()
        worker.join()
        raise
    failed = result[0] if result else CANCELLED
    usable = [i for i in range(LIB.input_count(pointer)) if LIB.table_count(pointer, i)]
    if not usable:
        raise Error(failed, handle.messages())
    return Report(handle, usable[0])
