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

# By whose signs a detector is called (signs.py); "" for always.
DETECTORS = (
    ("", find_tokens),
    ("named", find_named),
    ("blocks", find_blocks),
    ("flags", find_flagged),
    ("commands", find_commands),
    ("anchored", find_anchored),
    ("", find_hashes),
    ("urls", find_urls),
    ("sources", find_sources),
    ("webhooks", find_webhooks),
    ("", find_foreign),
    ("manifests", find_manifests),
)


def detected(text: str, low: str) -> list[Hit]:
    """What every detector reports; `low` is `text` in lower case, equally long."""
    hits: list[Hit] = []
    signs = find_signs(low)
    for sign, find in DETECTORS:
        places = signs.get(sign, ())
        if places or not sign:
            hits.extend(find(text, low, places))
    return hits
