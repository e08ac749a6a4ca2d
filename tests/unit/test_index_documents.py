from __future__ import annotations

from hindsight_cli.api.index import document_of
from hindsight_cli.records.experience import Evidence, ExperienceState, ReviewStatus
from tests.factories import an_experience


def test_a_fingerprint_in_an_old_ledger_is_indexed_with_the_name_that_its_evidence_has() -> None:
    experience = an_experience(
        error_fingerprints=("modulenotfounderror: no module named <str>",),
        evidence=(
            Evidence(
                step_index=1,
                tool_name="Bash",
                status="error",
                input="python bill.py",
                output="Traceback … ModuleNotFoundError: No module named 'ledgerlib'",
            ),
        ),
    )

    document = document_of(ExperienceState(experience=experience, status=ReviewStatus.APPROVED))

    assert document.error_fingerprints == ("modulenotfounderror: no module named ledgerlib",)
    assert experience.error_fingerprints == ("modulenotfounderror: no module named <str>",)
