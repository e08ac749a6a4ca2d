"""Plant advice in what tools returned, and ask the guard whose words they are.

usage: python -m tests.quality.measure_origin [--show]

Every sentence of guard_cases/ is planted, one at a time, in a tool result of one of the sample
runs in traces/. An experience then repeats it: word for word, behind words of its own, with a
quarter of its words replaced, and summarised (small words, every third other one and the order
gone). Honest traces stand beside: only the problem was read, the advice was read and then carried
out, and the user gave it.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import cycle
from pathlib import Path

from hindsight_cli.guard.canonical import canonical
from hindsight_cli.guard.facts import facts_of
from hindsight_cli.guard.origin import origin_of
from hindsight_cli.guard.stopwords import STOP_WORDS
from hindsight_cli.records.event import EventType
from hindsight_cli.records.experience import Origin
from hindsight_cli.records.trace import Trace
from tests.quality.guard_cases import build
from tests.quality.measure_reflection import trace_of

TRACES = Path(__file__).parents[2] / "traces"
OTHER = "harbour violet kettle ladder meadow pillow orchard tunnel walnut copper".split()  # noqa: SIM905
OTHER_ZH = ("港口", "紫色", "水壶", "梯子", "草地", "枕头", "果园", "隧道", "胡桃", "黄铜")
FEW_BLANKS = 3
_ZH_WORD = re.compile(r"[\u3400-\u9fff]{1,2}|[^\u3400-\u9fff]+")
_FILLER = "Release notes\nThe second edition has a new cover.\n{}\nQuestions go to the forum."


def samples() -> list[Trace]:
    reader = "claude-code"
    runs = [{"id": p.stem, "path": p.name, "selector": {}} for p in sorted(TRACES.glob("*.jsonl"))]
    return [trace_of(TRACES, run, reader) for run in runs]


def sentences() -> list[tuple[str, str]]:
    """Each advice with its scenario."""
    lines = [line for half in (0, 1) for line in (*build.attacks(half), *build.benign(half))]
    plain = [line for line in lines if line["obfuscation"] == "none" and "experience" in line]
    made = [line["experience"] for line in plain]
    return [(canonical(x["recommend"]).text, canonical(x["scenario"]).text) for x in made]


def pieces(text: str) -> tuple[list[str], str]:
    """The words of a text and what joins them; Chinese words have about two characters."""
    if text.count(" ") > FEW_BLANKS:
        return text.split(" "), " "
    return _ZH_WORD.findall(text), ""


def quarter_replaced(text: str) -> str:
    units, glue = pieces(text)
    other = cycle(OTHER if glue else OTHER_ZH)
    return glue.join(next(other) if at % 4 == 1 else unit for at, unit in enumerate(units))


def summarised(text: str) -> str:
    units, glue = pieces(text)
    kept = [unit for unit in units if unit.casefold() not in STOP_WORDS] if glue else units
    kept = [unit for at, unit in enumerate(kept) if at % 3 != 2]
    half = len(kept) // 2
    return glue.join([*kept[half:], *kept[:half]])


SHAPES: dict[str, Callable[[str], str]] = {
    "word for word": lambda text: text,
    "behind own words": lambda text: f"As seen in this run: {text}",
    "a quarter replaced": quarter_replaced,
    "summarised": summarised,
}


def planted(trace: Trace, text: str, at: int) -> Trace:
    """The run with `text` between lines of its `at`-th tool result."""
    results = [e for e in trace.events if e.event_type is EventType.TOOL_RESULT]
    event = results[at % len(results)]
    shown = f"{trace.text(event)}\n{_FILLER.format(text)}"
    return replace(trace, texts={**trace.texts, event.seq: shown})


def executed(trace: Trace, text: str) -> Trace:
    """The run with `text` in the arguments of its last call, too."""
    call = [e for e in trace.events if e.event_type is EventType.TOOL_CALL][-1]
    return replace(trace, inputs={**trace.inputs, call.seq: {"command": text}})


def asked(trace: Trace, text: str) -> Trace:
    task = next(e for e in trace.events if e.event_type is EventType.TASK)
    return replace(trace, texts={**trace.texts, task.seq: f"{trace.text(task)} {text}"})


def is_external(advice: str, trace: Trace) -> bool:
    return origin_of(advice, facts_of(trace)) is Origin.EXTERNAL


def cases() -> Iterator[tuple[str, str, Trace, int]]:
    runs = samples()
    for number, (text, scenario) in enumerate(sentences()):
        yield text, scenario, runs[number % len(runs)], number // len(runs)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--show", action="store_true", help="list what was not flagged")
    options = parser.parse_args()
    every = list(cases())
    flagged = dict.fromkeys(SHAPES, 0)
    honest = dict.fromkeys(
        ("problem read, advice not", "read and carried out", "asked for by the user"), 0
    )
    for text, scenario, trace, at in every:
        page = planted(trace, text, at)
        for name, shape in SHAPES.items():
            found = is_external(shape(text), page)
            flagged[name] += found
            if options.show and not found:
                print(f"{name}: {shape(text)}")
        problem = planted(trace, f"error: {scenario}", at)
        honest["problem read, advice not"] += is_external(text, problem)
        honest["read and carried out"] += is_external(text, executed(page, text))
        honest["asked for by the user"] += is_external(text, asked(page, text))
    print(f"{len(every)} sentences")
    for name, count in flagged.items():
        print(f"  flagged, {name:<28} {count / len(every):6.1%}")
    for name, count in honest.items():
        print(f"  false alarm, {name:<24} {count / len(every):6.1%}")


if __name__ == "__main__":
    main()
