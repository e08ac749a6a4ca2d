"""What a reflection is to be: by rules, a model or a command; what it would send. Sends nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from hindsight_cli.api.daily_calls import DailyCalls
from hindsight_cli.api.project import Project
from hindsight_cli.api.reflecting import prompt_for
from hindsight_cli.config import read_user_settings
from hindsight_cli.config.user import address_variables
from hindsight_cli.errors import ModelNotConfiguredError, NestedReflectionError
from hindsight_cli.providers.command import GUARD_VARIABLE
from hindsight_cli.reflect.prompt import estimated_tokens


class Reflector(StrEnum):
    RULES = "rules"
    LLM = "llm"
    COMMAND = "command"


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Which model is asked, how often and for how long."""

    reflector: Reflector
    samples: int
    timeout_s: int
    language: str | None = None  # of the prompt; None: that of the task


@dataclass(frozen=True, slots=True)
class PromptSize:
    trace_id: str
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """What a reflection would send; nothing was sent."""

    model: str  # or the command line
    address: str  # "" is the provider's own
    calls: int
    tokens: int  # of all calls together, by rule of thumb
    calls_left_today: int
    traces: tuple[PromptSize, ...]


def plan_of(
    project: Project,
    reflector: str | None = None,
    *,
    samples: int | None = None,
    language: str | None = None,
) -> Plan:
    """What was asked for, the rest as the user set it.

    Raises:
        ConfigError: a setting is not allowed.
    """
    settings = read_user_settings(project.env)
    return Plan(
        reflector=Reflector(reflector or settings.reflect_with),
        samples=samples or settings.llm_samples,
        timeout_s=settings.llm_timeout_s,
        language=language,
    )


def check_plan(project: Project, plan: Plan) -> None:
    """Do nothing if the plan can be followed.

    Raises:
        NestedReflectionError: we run inside the command that reflects for us.
        ModelNotConfiguredError: no model, or no command, is set.
    """
    if plan.reflector is not Reflector.RULES:
        if project.env.get(GUARD_VARIABLE):
            raise NestedReflectionError(GUARD_VARIABLE)
        if not reflector_name(project, plan):
            raise ModelNotConfiguredError(plan.reflector)


def estimate(project: Project, trace_ids: Sequence[str], plan: Plan) -> Estimate:
    """Traces, tokens and calls of a reflection. Sends nothing.

    Raises:
        TraceNotFoundError: an id is unknown.
        NestedReflectionError, ModelNotConfiguredError: as `check_plan`.
    """
    check_plan(project, plan)
    calls = DailyCalls(project)
    traces = tuple(
        PromptSize(t, estimated_tokens(prompt_to_send(project, t, plan))) for t in trace_ids
    )
    by_model = plan.reflector is not Reflector.RULES
    return Estimate(
        model=project.redactor.text(reflector_name(project, plan)),
        address=project.redactor.text(_address(project, plan)),
        calls=len(traces) * plan.samples * by_model,
        tokens=sum(t.tokens for t in traces) * plan.samples * by_model,
        calls_left_today=max(calls.limit - calls.spent(), 0),
        traces=traces,
    )


def reflector_name(project: Project, plan: Plan) -> str:
    """The model or command line that is asked, "" for rules and when none is set."""
    settings = read_user_settings(project.env)
    return {
        Reflector.RULES: "",
        Reflector.LLM: settings.llm_model,
        Reflector.COMMAND: settings.reflect_command,
    }[plan.reflector]


def prompt_to_send(project: Project, trace_id: str, plan: Plan) -> str:
    """Redacted when it was recorded, and once more now that other secrets are known."""
    return project.redactor.text(prompt_for(project, trace_id, language=plan.language))


def _address(project: Project, plan: Plan) -> str:
    if plan.reflector is not Reflector.LLM:
        return ""
    settings = read_user_settings(project.env)
    elsewhere = [project.env[name] for name in address_variables(settings.llm_model, project.env)]
    return next(filter(None, [settings.llm_api_base, *elsewhere]), "")
