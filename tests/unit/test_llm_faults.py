"""What an error of a model's provider means: ask again, ask for less, or give up."""

from __future__ import annotations

import pytest

from hindsight_cli.providers.llm_faults import Kind, fault_of


class ProviderError(Exception):
    """As litellm's errors: a status, a text, headers of the response."""

    def __init__(self, status_code: int | None, text: str, headers: dict[str, str] | None = None):
        super().__init__(text)
        self.status_code = status_code
        self.litellm_response_headers = headers or {}


class ContentPolicyViolationError(ProviderError):
    pass


class UnsupportedParamsError(ProviderError):
    pass


@pytest.mark.parametrize(
    ("status", "text", "kind"),
    [
        (401, "bad key", Kind.FINAL),
        (500, "Missing credentials. Please pass an `api_key`", Kind.FINAL),
        (402, "pay", Kind.FINAL),
        (403, "no", Kind.FINAL),
        (404, "no such model", Kind.FINAL),
        (429, "You exceeded your current quota, check your billing.", Kind.FINAL),
        (429, "Too many requests", Kind.PASSING),
        (400, "Unsupported parameter: temperature", Kind.REFUSED),
        (422, "response_format is not available", Kind.REFUSED),
        (400, "This model's maximum context length is 8192 tokens", Kind.UNFIT),
        (400, "prompt is too long: 210000 tokens", Kind.UNFIT),
        (413, "Request too large", Kind.UNFIT),
        (408, "timed out", Kind.PASSING),
        (500, "oops", Kind.PASSING),
        (503, "overloaded", Kind.PASSING),
        (529, "overloaded", Kind.PASSING),
        (None, "connection reset", Kind.PASSING),
    ],
)
def test_a_status_says_whether_to_ask_again(status: int | None, text: str, kind: Kind) -> None:
    fault = fault_of(ProviderError(status, text))

    assert fault.kind is kind
    assert fault.problem
    assert fault.remedy.endswith(".")


def test_a_filter_refuses_the_trace_and_not_the_model() -> None:
    assert fault_of(ContentPolicyViolationError(400, "filtered")).kind is Kind.UNFIT


def test_what_the_library_itself_refuses_was_never_sent() -> None:
    assert fault_of(UnsupportedParamsError(400, "no temperature")).was_sent is False
    assert fault_of(ProviderError(400, "no temperature")).was_sent is True


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("litellm.AuthenticationError: AuthenticationError: OpenAIException - Bad key.", "Bad key"),
        (
            'litellm.BadRequestError: AnthropicException - {"type":"error","error":'
            '{"type":"invalid_request_error","message":"temperature: \\"no\\""}}',
            'temperature: "no"',
        ),
        ("litellm.InternalServerError: Gone. Handle with `litellm.InternalServerError`.", "Gone"),
        ("first line\nsecond line", "first line"),
        ("", "ProviderError"),
        ("x" * 5000, "x" * 200),
    ],
)
def test_a_person_reads_the_providers_own_words_in_one_line(text: str, told: str) -> None:
    assert fault_of(ProviderError(None, text)).problem.endswith(told)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [("2", 2.0), ("0.5", 0.5), ("", None), ("soon", None), ("Wed, 21 Oct 2015 07:28:00 GMT", 0.0)],
)
def test_the_pause_that_an_endpoint_asks_for_is_read(value: str, seconds: float | None) -> None:
    error = ProviderError(429, "slow down", {"retry-after": value})

    assert fault_of(error).retry_after_s == seconds


def test_headers_are_found_in_what_caused_the_error() -> None:
    outer = ProviderError(429, "slow down")
    outer.__cause__ = ProviderError(429, "slow down", {"Retry-After": "7"})

    assert fault_of(outer).retry_after_s == 7.0
