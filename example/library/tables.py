#!/usr/bin/env python3
"""Tables of a profile as lists, by ctypes.

    tables.py PATH [OPTION=VALUE...]    or    tables.py --config=FILE [OPTION=VALUE...]
The library (Debian package libanalyzer0) is found by its name; LIBANALYZER is another file. Prints each table's id, columns with units, rows."""
import ctypes
import os
import sys
from ctypes import POINTER, byref, c_char_p, c_double, c_int, c_int32, c_int64, c_size_t, c_uint32, c_void_p


class Value(ctypes.Union):
    _fields_ = [("integer", c_int64), ("real", c_double), ("text", c_char_p)]


class Cell(ctypes.Structure):
    _fields_ = [("type", c_int32), ("length", c_uint32), ("value", Value)]

    def python(self):
        v = self.value
        return [None, (v.text or b"").decode() if self.type == 1 else "", v.integer, v.real, v.integer != 0][self.type]


try:
    LIB = ctypes.CDLL(os.environ.get("LIBANALYZER", "libanalyzer.so.0"))
except OSError as problem:
    sys.exit(f"{problem}; install libanalyzer0, or set LIBANALYZER to the path of libanalyzer.so")
for _name, _result, _args in [
        ("open", c_int, [POINTER(c_void_p)]), ("close", None, [c_void_p]), ("analyse", c_int, [c_void_p]),
        ("config_file", c_int, [c_void_p, c_char_p]), ("add_path", c_int, [c_void_p, c_char_p]),
        ("set_option", c_int, [c_void_p, c_char_p, c_char_p]), ("error_text", c_char_p, [c_int]),
        ("message_count", c_size_t, [c_void_p]), ("message_text", c_char_p, [c_void_p, c_size_t]),
        ("input_count", c_size_t, [c_void_p]), ("table_count", c_size_t, [c_void_p, c_size_t]),
        ("table_at", c_void_p, [c_void_p, c_size_t, c_size_t]), ("table_id", c_char_p, [c_void_p]),
        ("table_columns", c_size_t, [c_void_p]), ("column_name", c_char_p, [c_void_p, c_size_t]),
        ("column_unit", c_char_p, [c_void_p, c_size_t]), ("rows_open", c_int, [c_void_p, POINTER(c_void_p)]),
        ("rows_next", c_int, [c_void_p, POINTER(POINTER(Cell))]), ("rows_close", None, [c_void_p])]:
    getattr(LIB, "analyzer_" + _name).restype = _result
    getattr(LIB, "analyzer_" + _name).argtypes = _args


def rows_of(table):
    n, cursor, cells = LIB.analyzer_table_columns(table), c_void_p(), POINTER(Cell)()
    rc, out = LIB.analyzer_rows_open(table, byref(cursor)), []
    while rc >= 0 and (rc := LIB.analyzer_rows_next(cursor, byref(cells))) == 1:
        out.append([cells[i].python() for i in range(n)])
    LIB.analyzer_rows_close(cursor)
    if rc < 0:
        raise RuntimeError(LIB.analyzer_error_text(rc).decode())
    return out


def read(path, options=(), config=False):
    """[(id, [(column, unit)], [row])] of every input, and the error, and the messages."""
    a, tables = c_void_p(), []
    rc = LIB.analyzer_open(byref(a))
    rc = rc or (LIB.analyzer_config_file if config else LIB.analyzer_add_path)(a, os.fsencode(path))
    for key, value in options:
        rc = rc or LIB.analyzer_set_option(a, key.encode(), value.encode())
    rc = rc or LIB.analyzer_analyse(a)
    for k in range(LIB.analyzer_input_count(a)):
        for t in (LIB.analyzer_table_at(a, k, i) for i in range(LIB.analyzer_table_count(a, k))):
            columns = [(LIB.analyzer_column_name(t, i).decode(), LIB.analyzer_column_unit(t, i).decode())
                       for i in range(LIB.analyzer_table_columns(t))]
            tables.append((LIB.analyzer_table_id(t).decode(), columns, rows_of(t)))
    messages = [LIB.analyzer_message_text(a, i).decode() for i in range(LIB.analyzer_message_count(a))]
    LIB.analyzer_close(a)
    return tables, rc, messages


if __name__ == "__main__":
    name = sys.argv[1]
    given = [o.split("=", 1) for o in sys.argv[2:]]
    found, error, said = read(name.replace("--config=", "", 1), given, name.startswith("--config="))
    try:
        for table_id, header, table in found:
            print(table_id, header, *table, sep="\n  ")
        sys.stdout.flush()
    except BrokenPipeError:  # a reader that has seen enough (`| head`)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    print("\n".join(said), file=sys.stderr)
    sys.exit(LIB.analyzer_error_text(error).decode() if error else 0)
