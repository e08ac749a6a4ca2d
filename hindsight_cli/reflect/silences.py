"""What keeps a check quiet where it stands in the code."""

from __future__ import annotations

import re

SILENCES = re.compile(
    r"""//\s*nolint|\#\s*(?:type:\s*ignore|noqa|nosec|pragma:\s*no\s*cover|pylint:\s*disable|rubocop:disable)|@ts-(?:ignore|nocheck|expect-error)
    |eslint-disable|@SuppressWarnings|\#\[allow\(|@pytest\.mark\.(?:xfail|skip)|\bpytest\.skip\(
    |@unittest\.skip|\bt\.Skip(?:Now|f)?\(
    |\b(?:it|test|describe)\.(?:skip|todo)\(|\bxit\(|\#\[ignore\]|@Disabled\b|@Ignore\b
    |\bverify\s*=\s*False\b|\bCERT_NONE\b
    |\bcheck_hostname\s*=\s*False|InsecureSkipVerify:\s*true|rejectUnauthorized:\s*false
    |except(?:\s+Exception)?:\s*pass\b""",
    re.VERBOSE,
)
