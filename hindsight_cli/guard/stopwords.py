"""English words that carry no matter of their own."""

from __future__ import annotations

STOP_WORDS = frozenset(
    """about above after again all also always and any are as at be been before being both but by
    can could did do does doing done down each else even ever every few first for from get gets
    had has have how however if in instead into is it its just keep last later let like make
    makes many may might more most much must need needs never new next not nothing now of off
    on once one only or other others out over own per put rather same set should since so some
    still such take than that the their them then there these they this those through to too
    try two under until up use used uses using very via was way well were what when where
    whether which while who why will with within without would yet you your""".split()  # noqa: SIM905
)
