"""Tables and columns over the memory of the library."""
from __future__ import annotations

import ctypes
import html
from collections.abc import Sequence
from typing import Any

from ._library import BOOL, INT, LIB, REAL, TEXT, ArrowArrayStream, ColumnData

try:
    import numpy
except ImportError:  # columns are memoryviews then
    numpy = None  # type: ignore[assignment]

SHOWN_ROWS = 20
_FORMATS = {INT: "q", REAL: "d", BOOL: "B"}
_NAMES = {TEXT: "text", INT: "int", REAL: "float", BOOL: "bool"}


class _Columns:
    """Owner of a struct analyzer_columns."""

    def __init__(self, pointer: ctypes.c_void_p) -> None:
        self.pointer = pointer

    def __del__(self, close: Any = LIB.columns_close) -> None:
        close(self.pointer)


def _memory(owner: _Columns, address: int | None, size: int) -> memoryview:
    """A read-only view of memory that lives at least as long as the view."""
    if not address or not size:
        return memoryview(b"")
    block = (ctypes.c_char * size).from_address(address)
    block._owner = owner  # type: ignore[attr-defined]
    return memoryview(block).cast("B").toreadonly()


class Text(Sequence[Any]):
    """A column of texts; None where there is no value. Texts are decoded when they are read."""

    def __init__(self, data: memoryview, offsets: memoryview, valid: memoryview | None) -> None:
        self.data, self.offsets, self.valid = data, offsets, valid

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, i: Any) -> Any:
        if isinstance(i, slice):
            return [self[k] for k in range(*i.indices(len(self)))]
        if i < 0:
            i += len(self)
        if not 0 <= i < len(self):
            raise IndexError("row %d of %d" % (i, len(self)))
        if self.valid is not None and not self.valid[i >> 3] >> (i & 7) & 1:
            return None
        return str(self.data[self.offsets[i]:self.offsets[i + 1]], "utf-8")

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        out = numpy.empty(len(self), dtype=object)
        out[:] = list(self)
        return out if dtype is None else out.astype(dtype)

    def __eq__(self, other: Any) -> Any:
        if numpy is not None and isinstance(other, str):
            return numpy.asarray(self) == other
        return list(self) == list(other) if isinstance(other, Sequence) and not isinstance(other, str) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return "Text(%r%s)" % (self[:5], "" if len(self) <= 5 else " ... %d rows" % len(self))


class Column:
    """A column: name, unit ("us", "B", "%", ...; "" for none), type ("int", "float", "bool" or "text") and values."""

    def __init__(self, owner: _Columns, at: int, rows: int) -> None:
        data = ColumnData()
        if LIB.columns_at(owner.pointer, at, data) < 0:
            raise IndexError("no column %d" % at)
        self.name: str = data.name.decode()
        self.unit: str = data.unit.decode()
        self.type: str = _NAMES[data.type]
        self.nulls: int = data.nulls
        self.valid: memoryview | None = _memory(owner, data.valid, (rows + 7) // 8) if data.nulls else None
        """Bit i % 8 of byte i // 8 is 1 where row i has a value; None if all rows have one."""
        self._rows = rows
        if data.type == TEXT:
            offsets = _memory(owner, data.offsets, (rows + 1) * 8).cast("q")
            self.buffer: Any = Text(_memory(owner, data.values, offsets[-1]), offsets, self.valid)
        else:
            self.buffer = _memory(owner, data.values, rows * (1 if data.type == BOOL else 8)).cast(_FORMATS[data.type])

    def __len__(self) -> int:
        return self._rows

    @property
    def values(self) -> Any:
        """Numbers: a numpy array over the library's memory, which is not copied; masked where integers or booleans have
        no value (reals are NaN). Without numpy a memoryview. Texts: Text."""
        if self.type == "text" or numpy is None:
            return self.buffer
        out = numpy.frombuffer(self.buffer, dtype={"int": "i8", "float": "f8", "bool": "?"}[self.type])
        if self.valid is None or self.type == "float":
            return out
        bits = numpy.unpackbits(numpy.frombuffer(self.valid, dtype="u1"), bitorder="little")[:self._rows]
        return numpy.ma.MaskedArray(out, mask=bits == 0)

    def to_list(self) -> list[Any]:
        """Python values, None where there is none."""
        if self.type == "text":
            return list(self.buffer)
        out: list[Any] = self.buffer.tolist()
        if self.type == "bool":
            out = [bool(x) for x in out]
        if self.valid is not None:
            out = [x if self.valid[i >> 3] >> (i & 7) & 1 else None for i, x in enumerate(out)]
        return out

    def __repr__(self) -> str:
        return "<Column %r %s%s, %d rows>" % (self.name, self.type, " in " + self.unit if self.unit else "", self._rows)


class Table(dict[str, Any]):
    """A table: a dict from the names of columns to their values, so that `pandas.DataFrame(table)` takes it; of equal names
    the first. It outlives its report."""

    def __init__(self, pointer: ctypes.c_void_p, name: str, title: str) -> None:
        self._owner = _Columns(pointer)
        self.name, self.title = name, title
        self.rows: int = LIB.columns_rows(pointer)
        self.columns: list[Column] = [Column(self._owner, i, self.rows) for i in range(LIB.columns_count(pointer))]
        self._at: dict[str, Column] = {}
        for c in self.columns:
            self._at.setdefault(c.name, c)
        super().__init__((name, c.values) for name, c in self._at.items())

    def __missing__(self, name: str) -> Any:
        return self.column(name).values

    def column(self, name: str) -> Column:
        """The column with its unit and type."""
        try:
            return self._at[name]
        except KeyError:
            raise KeyError("no column %r in %s; columns: %s" % (name, self.name or "the result", ", ".join(self._at))) from None

    def to_dict(self) -> dict[str, list[Any]]:
        return {c.name: c.to_list() for c in self.columns}

    def to_pandas(self) -> Any:
        """A pandas.DataFrame; integers with missing values are Int64."""
        import pandas
        out = {}
        for c in self.columns:
            x = c.values
            if c.type == "text":
                x = numpy.asarray(x)
            elif c.valid is not None and c.type != "float":
                x = pandas.array(c.to_list(), dtype="Int64" if c.type == "int" else "boolean")
            out[c.name] = x
        return pandas.DataFrame(out, copy=False)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """The columns for pyarrow, polars, duckdb and pandas, without copying (Arrow PyCapsule interface)."""
        return _capsule(self._owner)

    def __repr__(self) -> str:
        return "<Table %s: %d rows, columns %s>" % (self.name, self.rows, ", ".join(repr(c.name) for c in self.columns))

    def _repr_html_(self) -> str:
        def cell(x: Any) -> str:
            return "" if x is None else "%.6g" % x if isinstance(x, float) else html.escape(str(x))
        head = "".join("<th>%s</th>" % html.escape(c.name + (" (%s)" % c.unit if c.unit and c.unit not in c.name else ""))
                       for c in self.columns)
        shown = [c.to_list()[:SHOWN_ROWS] for c in self.columns]
        body = "".join("<tr>%s</tr>" % "".join("<td>%s</td>" % cell(x) for x in row) for row in zip(*shown))
        more = "<p>%d of %d rows</p>" % (SHOWN_ROWS, self.rows) if self.rows > SHOWN_ROWS else ""
        caption = "<caption>%s</caption>" % html.escape(self.title) if self.title else ""
        return "<table>%s<thead><tr>%s</tr></thead><tbody>%s</tbody></table>%s" % (caption, head, body, more)


# ---- Arrow: a capsule that owns its stream until a consumer takes it ----

_STREAM_NAME = b"arrow_array_stream"
_DESTRUCTOR = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_api = ctypes.pythonapi
_new = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(("PyCapsule_New", _api))
_get = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(("PyCapsule_GetPointer", _api))
_streams: dict[int, ArrowArrayStream] = {}


@_DESTRUCTOR
def _destroy(capsule: int) -> None:
    stream = _streams.pop(_get(capsule, _STREAM_NAME), None)
    if stream is not None and stream.release:
        stream.release(stream)


def _capsule(owner: _Columns) -> Any:
    stream = ArrowArrayStream()
    if LIB.columns_arrow(owner.pointer, stream) < 0:
        raise MemoryError
    address = ctypes.addressof(stream)
    _streams[address] = stream
    return _new(address, _STREAM_NAME, _destroy)
