"""Profiles of GPU and accelerator programs as tables.

    import analyzer

    report = analyzer.open("trace.json.gz")
    print(report.verdict)
    kernels = report["kernels"]           # or a table of the report: report["kernel_summary"]
    kernels["dur_ns"]                     # a numpy array over the library's memory
    report.query("SELECT name, sum(dur_ns) AS ns FROM kernels GROUP BY name ORDER BY ns DESC")
    report.compare(analyzer.open("yesterday.json.gz")).verdict
"""
from __future__ import annotations

from ._report import Error, Message, Report, Verdict, open, version
from ._table import Column, Table, Text

__all__ = ["Column", "Error", "Message", "Report", "Table", "Text", "Verdict", "open", "version"]
__version__ = version()
