"""The detectors, in one place so that the engine imports them on first use only."""

from __future__ import annotations

from hindsight_cli.redact.anchored import find_anchored
from hindsight_cli.redact.blocks import find_blocks
from hindsight_cli.redact.commands import find_commands
from hindsight_cli.redact.manifests import find_manifests
from hindsight_cli.redact.named import find_named
from hindsight_cli.redact.prose import find_foreign
from hindsight_cli.redact.tokens import find_tokens
from hindsight_cli.redact.urls import find_urls, find_webhooks

DETECTORS = (
    find_tokens,
    find_named,
    find_blocks,
    find_commands,
    find_anchored,
    find_urls,
    find_webhooks,
    find_foreign,
    find_manifests,
)

__all__ = ["DETECTORS"]
