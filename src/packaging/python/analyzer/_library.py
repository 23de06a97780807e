"""The functions of libanalyzer (analyzer.h), by ctypes."""
from __future__ import annotations

import ctypes
import os
from ctypes import POINTER, c_char_p, c_int, c_int32, c_int64, c_size_t, c_void_p

TEXT, INT, REAL, BOOL = 1, 2, 3, 4
CANCELLED = -8


class ColumnData(ctypes.Structure):
    """struct analyzer_column"""
    _fields_ = [("name", c_char_p), ("unit", c_char_p), ("type", c_int32), ("reserved", c_int32), ("nulls", c_int64),
                ("valid", c_void_p), ("values", c_void_p), ("offsets", c_void_p)]


class ArrowArrayStream(ctypes.Structure):
    """struct ArrowArrayStream of the Arrow C stream interface"""


ArrowArrayStream._fields_ = [("get_schema", c_void_p), ("get_next", c_void_p), ("get_last_error", c_void_p),
                             ("release", ctypes.CFUNCTYPE(None, POINTER(ArrowArrayStream))), ("private_data", c_void_p)]
ASKED = ctypes.CFUNCTYPE(c_int, c_void_p)

_FUNCTIONS = {
    "version": (c_char_p, []),
    "error_text": (c_char_p, [c_int]),
    "open": (c_int, [POINTER(c_void_p)]),
    "close": (None, [c_void_p]),
    "config_file": (c_int, [c_void_p, c_char_p]),
    "add_path": (c_int, [c_void_p, c_char_p]),
    "set_option": (c_int, [c_void_p, c_char_p, c_char_p]),
    "set_value": (c_int, [c_void_p, c_char_p, c_char_p]),
    "on_cancel": (None, [c_void_p, ASKED, c_void_p]),
    "analyse": (c_int, [c_void_p]),
    "message_count": (c_size_t, [c_void_p]),
    "message_text": (c_char_p, [c_void_p, c_size_t]),
    "message_severity": (c_int, [c_void_p, c_size_t]),
    "message_input": (c_int64, [c_void_p, c_size_t]),
    "input_count": (c_size_t, [c_void_p]),
    "input_title": (c_char_p, [c_void_p, c_size_t]),
    "input_format": (c_char_p, [c_void_p, c_size_t]),
    "input_error": (c_int, [c_void_p, c_size_t]),
    "table_count": (c_size_t, [c_void_p, c_size_t]),
    "table_at": (c_void_p, [c_void_p, c_size_t, c_size_t]),
    "table_find": (c_void_p, [c_void_p, c_size_t, c_char_p]),
    "table_id": (c_char_p, [c_void_p]),
    "table_title": (c_char_p, [c_void_p]),
    "table_columns": (c_size_t, [c_void_p]),
    "table_rows": (c_size_t, [c_void_p]),
    "columns_open": (c_int, [c_void_p, POINTER(c_void_p)]),
    "columns_count": (c_size_t, [c_void_p]),
    "columns_rows": (c_size_t, [c_void_p]),
    "columns_at": (c_int, [c_void_p, c_size_t, POINTER(ColumnData)]),
    "columns_arrow": (c_int, [c_void_p, POINTER(ArrowArrayStream)]),
    "columns_close": (None, [c_void_p]),
    "query": (c_int, [c_void_p, c_char_p, POINTER(c_void_p)]),
    "verdict": (c_int, [c_void_p, c_size_t, POINTER(c_char_p)]),
    "report": (c_int, [c_void_p, c_size_t, c_char_p, c_char_p]),
    "compare": (c_int, [c_void_p, c_size_t, c_void_p, c_size_t, POINTER(c_void_p)]),
}


class Library:
    """The functions as attributes, without their prefix."""

    def __init__(self, path: str) -> None:
        handle = ctypes.CDLL(path)
        for name, (result, arguments) in _FUNCTIONS.items():
            function = getattr(handle, "analyzer_" + name)
            function.restype, function.argtypes = result, arguments
            setattr(self, name, function)


def load() -> Library:
    """LIBANALYZER, else the library next to this file, else the one of the system."""
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib", "libanalyzer.so.0")
    return Library(os.environ.get("LIBANALYZER") or (beside if os.path.exists(beside) else "libanalyzer.so.0"))


LIB: Library = load()
