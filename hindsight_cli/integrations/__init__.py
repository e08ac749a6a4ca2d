"""What each known agent's command line means. One file an agent, loaded when it is met.

On the path of every `hindsight run`: few imports, and nothing here raises for a command it
does not understand. What is not understood for certain is left alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module

from hindsight_cli.integrations.agent import Agent, Place
from hindsight_cli.integrations.programs import find_program

__all__ = ["Agent", "Place", "find_agent"]


def find_agent(argv: Sequence[str]) -> Agent | None:
    """The agent that a command starts, or None; wrappers such as `npx` are looked through."""
    program = find_program(argv)
    if program is None:
        return None
    module = import_module(f"hindsight_cli.integrations.{program.agent}")
    agent: Agent = module.agent(program)
    return agent
