"""The detectors, in one place so that the engine imports them on first use only."""

from __future__ import annotations

from hindsight_cli.redact.anchored import find_anchored, find_hashes
from hindsight_cli.redact.blocks import find_blocks
from hindsight_cli.redact.commands import find_commands, find_flagged
from hindsight_cli.redact.manifests import find_manifests
from hindsight_cli.redact.named import find_named
from hindsight_cli.redact.prose import find_foreign
from hindsight_cli.redact.signs import find_signs
from hindsight_cli.redact.spans import Hit
from hindsight_cli.redact.tokens import find_tokens
from hindsight_cli.redact.urls import find_sources, find_urls, find_webhooks

# By whose signs a detector is called (signs.py), and whether it is without any, too.
DETECTORS = (
    ("tokens", find_tokens, True),
    ("named", find_named, False),
    ("blocks", find_blocks, False),
    ("flags", find_flagged, False),
    ("commands", find_commands, False),
    ("anchored", find_anchored, False),
    ("hashes", find_hashes, True),
    ("urls", find_urls, False),
    ("sources", find_sources, False),
    ("webhooks", find_webhooks, False),
    ("foreign", find_foreign, True),
    ("manifests", find_manifests, False),
)


def detected(text: str, low: str) -> list[Hit]:
    """What every detector reports; `low` is `text` in lower case, equally long."""
    hits: list[Hit] = []
    signs = find_signs(low)
    for name, find, always in DETECTORS:
        places = signs.get(name, ())
        if places or always:
            hits.extend(find(text, low, places))
    return hits
