"""Token counts under the names of ATIF, whatever an agent calls them. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hindsight_cli.records.jsonvalue import JsonValue

_PROMPT = ("prompt_tokens", "input_tokens", "inputTokens", "promptTokenCount", "input")
# Anthropic counts what came from the cache, or went there, beside the input.
_BESIDE = ("cache_read_input_tokens", "cache_creation_input_tokens")
_COMPLETION = (
    *("completion_tokens", "output_tokens", "outputTokens", "candidatesTokenCount", "output"),
)
_CACHED = (
    *("cached_tokens", "cached_input_tokens", "cache_read_input_tokens", "cacheRead"),
    "cachedContentTokenCount",
)
_COST = ("cost_usd", "cost")
_TOTALS = ("prompt_tokens", "completion_tokens", "cached_tokens", "cost_usd")


def metrics_of(usage: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """The `metrics` of a step: only what the usage names."""
    prompt = _count(usage, _PROMPT)
    if prompt is not None and "prompt_tokens" not in usage:
        prompt += sum(_count(usage, (key,)) or 0 for key in _BESIDE)
    cost = next((usage[key] for key in _COST if _is_number(usage.get(key))), None)
    metrics = {
        "prompt_tokens": prompt,
        "completion_tokens": _count(usage, _COMPLETION),
        "cached_tokens": _count(usage, _CACHED),
        "cost_usd": cost,
    }
    return {key: value for key, value in metrics.items() if value is not None}


def added(usage: Mapping[str, JsonValue], more: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Two counts as one; what is no number is taken from the later."""
    both = {**usage, **more}
    for key in usage.keys() & more.keys():
        if _is_number(usage[key]) and _is_number(more[key]):
            both[key] = usage[key] + more[key]
    return both


def totals_of(steps: Sequence[Mapping[str, JsonValue]]) -> dict[str, JsonValue]:
    """The `final_metrics` of a document."""
    totals: dict[str, JsonValue] = {"total_steps": len(steps)}
    for name in _TOTALS:
        counted = [step["metrics"][name] for step in steps if name in step.get("metrics", {})]
        if counted:
            totals[f"total_{name}"] = sum(counted)
    return totals


def _count(usage: Mapping[str, JsonValue], keys: tuple[str, ...]) -> int | None:
    return next((usage[key] for key in keys if type(usage.get(key)) is int), None)


def _is_number(value: JsonValue) -> bool:
    return type(value) in (int, float)
