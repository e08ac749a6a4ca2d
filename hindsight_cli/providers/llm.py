"""The only door to litellm: one question, one answer, within one deadline.

litellm looks up prices and headers on the network when imported, reads a `.env` that it
finds near itself (so a repository's could choose where traces go), and prints hints;
all of that is turned off before anything is asked.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Mapping
from typing import Any

from hindsight_cli.errors import ModelFailedError
from hindsight_cli.providers.answering import Answer, timed_out
from hindsight_cli.providers.llm_faults import Fault, Kind, fault_of
from hindsight_cli.records.jsonvalue import JsonValue

TEMPERATURE = 0.2
_ENVIRONMENT = {
    "LITELLM_OFFLINE_MODE": "true",
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS": "True",
    "LITELLM_MODE": "PRODUCTION",  # else it loads a `.env`
    "LITELLM_TELEMETRY": "False",
}
_LOGGERS = ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy", "httpx", "openai")
_NOTES = {
    "temperature": "it takes no temperature, so none was asked for",
    "response_format": "it takes no JSON schema, so none was asked for",
}
_MAX_ANSWER_TOKENS = 8192
_MAX_TRIES = 4
_FIRST_PAUSE_S = 0.5
_NO_KEY = "none"  # a server of one's own wants none, but the client library wants one


class LlmModel:
    """A model as litellm names it. `before_call` may refuse a request by raising."""

    def __init__(
        self,
        name: str,
        api_base: str = "",
        *,
        api_key: str = "",
        before_call: Callable[[], None] = lambda: None,
    ) -> None:
        self.name = name
        self._api_base = api_base
        self._api_key = api_key
        self._before_call = before_call
        self._refused: set[str] = set()  # what this model was asked for and does not take

    def answer(self, prompt: str, *, schema: Mapping[str, JsonValue], timeout_s: float) -> Answer:
        """Ask once; again, within `timeout_s` altogether, where that may help.

        Busy and broken endpoints are asked again after a pause, those that refuse a
        temperature or a JSON schema are asked again without.

        Raises:
            ModelFailedError: no answer; says why and what to do.
        """
        deadline = time.monotonic() + timeout_s
        litellm = self._litellm()
        wishes = self._wishes(litellm, schema)
        wishes["messages"] = [{"role": "user", "content": prompt}]
        for refused in tuple(self._refused):
            wishes.pop(refused, None)
        notes: list[str] = []
        tries, counted = 0, False
        while True:
            left = deadline - time.monotonic()
            if left <= 0:
                raise timed_out(self.name, timeout_s)
            if not counted:
                self._before_call()
            try:
                return Answer(_text_of(litellm.completion(timeout=left, **wishes)), tuple(notes))
            except Exception as error:  # litellm lets through whatever its parts raise
                fault = fault_of(error)
            counted = not fault.was_sent
            if fault.kind is Kind.REFUSED and (refused := _refused_by(fault, wishes)):
                del wishes[refused]
                self._refused.add(refused)
                notes.append(_NOTES[refused])
                continue
            tries += 1
            if fault.kind is not Kind.PASSING or tries >= _MAX_TRIES:
                raise self._failed(fault)
            pause = fault.retry_after_s or _FIRST_PAUSE_S * 2 ** (tries - 1)
            if time.monotonic() + pause >= deadline:
                raise timed_out(self.name, timeout_s) if fault.is_timeout else self._failed(fault)
            time.sleep(pause)

    def prepare(self) -> None:
        """Load what takes long, so that it is not taken from the time for an answer."""
        self._litellm()

    def close(self) -> None:
        """Nothing to end: what hangs is left to its daemon thread."""

    def _litellm(self) -> Any:
        try:
            return load_litellm()
        except Exception as error:  # a broken or half-installed library fails in many ways
            raise ModelFailedError(
                self.name,
                f"litellm cannot be loaded: {type(error).__name__}: {str(error)[:200]}",
                remedy="Install hindsight-cli again, with what it depends on.",
            ) from error

    def _wishes(self, litellm: Any, schema: Mapping[str, JsonValue]) -> dict[str, Any]:
        """The arguments of the call; the provider and its key are looked at first."""
        try:
            provider = str(litellm.get_llm_provider(self.name)[1])
        except Exception as error:  # litellm raises several kinds here
            raise ModelFailedError(
                self.name,
                "it does not say whose model it is",
                remedy="Name the provider too, as in `hindsight config set llm_model "
                "anthropic/claude-sonnet-4-5`.",
            ) from error
        key = self._api_key or self._stand_in_key(litellm, provider)
        wishes: dict[str, Any] = {
            "model": self.name,
            "temperature": TEMPERATURE,
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "reflection", "strict": True, "schema": dict(schema)},
            },
            "max_retries": 0,
            "num_retries": 0,
            "stream": False,
        }
        if self._api_base:
            wishes["api_base"] = self._api_base
        if key:
            wishes["api_key"] = key
        if provider == "anthropic":  # which wants a limit, and gets the model's own from litellm
            wishes["max_tokens"] = min(_MAX_ANSWER_TOKENS, _most_tokens(litellm, self.name))
        return wishes

    def _stand_in_key(self, litellm: Any, provider: str) -> str:
        """What a server of one's own is given in place of a key; "" when there is a real one."""
        found = litellm.validate_environment(self.name)
        if self._api_base:
            return "" if found["keys_in_environment"] else _NO_KEY
        missing = [str(v) for v in found["missing_keys"] if str(v).endswith("_API_KEY")]
        if missing:
            raise ModelFailedError(
                self.name,
                f"{provider} needs a key and {' or '.join(missing)} is not set",
                remedy=f"Set {missing[0]} in your shell, then run it again.",
            )
        return ""

    def _failed(self, fault: Fault) -> ModelFailedError:
        return ModelFailedError(
            self.name, fault.problem, remedy=fault.remedy, is_final=fault.kind is not Kind.UNFIT
        )


def load_litellm() -> Any:
    """litellm, silent and offline but for the calls it is asked for. Seconds when first called."""
    os.environ.update(_ENVIRONMENT)
    import litellm

    litellm.suppress_debug_info = True
    for name in _LOGGERS:
        logger = logging.getLogger(name)
        logger.handlers = [logging.NullHandler()]
        logger.propagate = False
    return litellm


def _most_tokens(litellm: Any, name: str) -> int:
    try:
        return int(litellm.get_model_info(name)["max_output_tokens"])
    except Exception:  # litellm raises a bare one for a model it does not know
        return _MAX_ANSWER_TOKENS


def _refused_by(fault: Fault, wishes: Mapping[str, Any]) -> str:
    """Which wish to ask again without; "" when there is none left to give up."""
    if "temperature" in wishes and fault.speaks_of("temperature"):
        return "temperature"
    # Also when it does not say what it refuses.
    return "response_format" if "response_format" in wishes else ""


def _text_of(response: Any) -> str:
    """The reply of the first choice, also when it came as the arguments of a forced tool."""
    message = response.choices[0].message
    if message.content:
        return str(message.content)
    for call in message.tool_calls or ():
        return str(call.function.arguments or "")
    return ""
