"""What users of other tools ran into, and the tests that hold us to do better.

An item is `open` where a part of what we owe is not built; the reason says which. The rows are
in reports/, by subject.
Checked by test_field_reports.py.
"""

from __future__ import annotations

from tests.faults.reports import hooks, models, proxies, records, runs, screens
from tests.faults.reports.report import FieldReport

ITEMS = (
    *("A1", "A3", "A4", "A5", "A6", "A7", "A8", "A9", "A10", "A11", "A12", "A14", "A15"),
    *("A16", "A18", "A19", "A20", "A21", "A22", "A23", "A24", "A25", "A26", "A27"),
    *("B1", "B3", "B4"),
    *("C1", "C2", "C3", "C5", "C7", "C8", "C9", "C10", "C12", "C13", "C14", "C15", "C16"),
    *("D1", "D2", "D3", "D4", "D5", "D6", "D7", "D8", "D9", "D10", "D13", "D14", "D15"),
    *("D17", "D18", "D19", "D20", "D21", "D22", "D23", "D24", "D25"),
    *("E1", "E2", "E3", "E4", "E6", "E7", "E8", "E10", "E11", "E12", "E13"),
    *("E15", "E16", "E17"),
    *("H1", "H2", "H4", "H5", "H6", "H8"),
    *("M1", "M3", "M4", "M5", "M6", "M7"),
    *("N1", "N2", "N3", "N4", "N5", "N6"),
)
MOST_OPEN = 1  # may only shrink


REPORTS: dict[str, FieldReport] = {
    **records.REPORTS,
    **runs.REPORTS,
    **proxies.REPORTS,
    **hooks.REPORTS,
    **screens.REPORTS,
    **models.REPORTS,
}
