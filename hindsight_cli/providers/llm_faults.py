"""What an error of litellm means: to be asked again, asked for less, or to be given up. Pure."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from enum import StrEnum

_DETAIL_CHARS = 200
# litellm's own words before those of the provider.
_PREFIX = re.compile(r"^(?:(?:litellm\.)?\w+(?:Error|Exception|Timeout)\b(?: APIError)?[:\s-]*)+")
_SUFFIX = re.compile(r"\.? Handle with `litellm\.\w+`\.?$")
_OWN_MESSAGE = re.compile(r'"message"\s*:\s*"((?:[^"\\]|\\.)*)"')
_NO_CREDIT = ("insufficient_quota", "exceeded your current quota", "credit balance", "billing")
_NO_KEY = ("missing credentials", "api_key client option must be set")
_TOO_LONG = ("context_length", "context window", "maximum context", "prompt is too long")
_KEY_REFUSED, _NO_CREDIT_LEFT, _FORBIDDEN, _NOT_FOUND, _TOO_LARGE = 401, 402, 403, 404, 413
_TIMEOUT, _BUSY, _BROKEN = 408, 429, 500
_REFUSALS = (400, 422)
_OFTEN = (_TIMEOUT, 409, 425, _BUSY)


class Kind(StrEnum):
    PASSING = "passing"  # busy, broken, out of reach: the same request may work later
    REFUSED = "refused"  # this request is not taken: another may be
    FINAL = "final"  # no request will be taken until a person changes something
    UNFIT = "unfit"  # this prompt is not taken in any form


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    kind: Kind
    problem: str
    remedy: str
    retry_after_s: float | None = None
    is_timeout: bool = False
    was_sent: bool = True  # False: litellm itself refused the request

    def speaks_of(self, word: str) -> bool:
        return word in self.problem.lower()


def fault_of(error: BaseException) -> Fault:
    """What happened, in words for a person, and whether to ask again."""
    status = getattr(error, "status_code", None)
    told = _told(error)
    low = told.lower()
    if status == _BUSY and any(words in low for words in _NO_CREDIT):
        status = _NO_CREDIT_LEFT
    if any(words in low for words in _NO_KEY):
        status = _KEY_REFUSED
    final = _final(status, told)
    if final is not None:
        return final
    if status in (*_REFUSALS, _TOO_LARGE):
        if type(error).__name__ == "ContentPolicyViolationError":
            problem, remedy = "the provider's filter refused this trace", "Rules reflected on it."
            return Fault(kind=Kind.UNFIT, problem=f"{problem}: {told}", remedy=remedy)
        if status == _TOO_LARGE or any(words in low for words in _TOO_LONG):
            return Fault(
                kind=Kind.UNFIT,
                problem=f"the prompt is longer than this model reads: {told}",
                remedy="Choose a model that reads 32,000 tokens or more.",
            )
        remedy = "Look whether the model and its address are right: `hindsight config show`."
        return Fault(
            kind=Kind.REFUSED,
            problem=f"{status}: {told}",
            remedy=remedy,
            was_sent=type(error).__name__ != "UnsupportedParamsError",
        )
    return _passing(error, status, told)


def _final(status: int | None, told: str) -> Fault | None:
    problem, remedy = {
        _KEY_REFUSED: (
            "its key is missing or not accepted (401)",
            "Set the provider's key, or HINDSIGHT_CLI_LLM_API_KEY, then run it again.",
        ),
        _NO_CREDIT_LEFT: (
            "the account has no credit left",
            "Top it up, or choose another model with `hindsight config set llm_model NAME`.",
        ),
        _FORBIDDEN: (
            "this key may not use the model (403)",
            "Choose another model with `hindsight config set llm_model NAME`, or another key.",
        ),
        _NOT_FOUND: (
            "there is no such model at this address (404)",
            "Look at llm_model and llm_api_base: `hindsight config show`.",
        ),
    }.get(status or 0, ("", ""))
    if not problem:
        return None
    return Fault(kind=Kind.FINAL, problem=f"{problem}: {told}", remedy=remedy)


def _passing(error: BaseException, status: int | None, told: str) -> Fault:
    if status == _BUSY:
        problem, remedy = "the endpoint is busy (429)", "Run it again later."
    elif status == _TIMEOUT:
        problem, remedy = "no answer in time", "Run it again later, or raise llm_timeout_s."
    elif status is not None and (status in _OFTEN or status >= _BROKEN):
        problem = f"the endpoint failed or cannot be reached ({status}): {told}"
        remedy = "Look whether it runs at the address in `hindsight config show`."
    else:
        problem = f"{type(error).__name__}: {told}"
        remedy = "Run it again, or choose another model."
    return Fault(
        kind=Kind.PASSING,
        problem=problem,
        remedy=remedy,
        retry_after_s=_retry_after_s(error),
        is_timeout=status == _TIMEOUT,
    )


def _told(error: BaseException) -> str:
    """The provider's own words in one short line, without litellm's before them."""
    text = str(error)
    if quoted := _OWN_MESSAGE.search(text):
        text = quoted[1].replace('\\"', '"')
    first = next((line for line in text.splitlines() if line.strip()), "")
    own = _SUFFIX.sub("", _PREFIX.sub("", first.strip()))
    return own.strip(" .")[:_DETAIL_CHARS] or type(error).__name__


def _retry_after_s(error: BaseException) -> float | None:
    """Seconds the endpoint asks to wait. Which error of the chain knows differs by provider."""
    for headers in _headers(error):
        value = str(headers.get("retry-after") or headers.get("Retry-After") or "").strip()
        if re.fullmatch(r"\d{1,6}(\.\d{1,6})?", value):
            return float(value)
        try:
            return max(parsedate_to_datetime(value).timestamp() - time.time(), 0.0)
        except ValueError:
            continue
    return None


def _headers(error: BaseException | None) -> Iterator[dict[str, str]]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        response = getattr(error, "response", None)
        for owner, name in (
            (error, "litellm_response_headers"),
            (response, "headers"),
            (error, "headers"),
        ):
            headers = getattr(owner, name, None)
            if headers is not None and hasattr(headers, "items"):
                yield dict(headers.items())
        error = error.__cause__ or error.__context__
