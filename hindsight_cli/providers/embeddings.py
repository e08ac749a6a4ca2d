"""Texts as vectors: the door to every embedding model. None is ever fetched unasked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from hindsight_cli.errors import EmbeddingUnavailableError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BUNDLED = "bundled"
NONE = "none"


class Embedder(Protocol):
    """A loaded model. Vectors of two models, or of two names, cannot be compared."""

    name: str  # with what is put before texts, where the model wants that
    dimension: int

    def documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """float32, shape (len(texts), dimension), rows of length 1."""
        ...

    def query(self, text: str) -> NDArray[np.float32]:
        """float32, shape (dimension,), of length 1."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingChoice:
    """Which model the user wants."""

    model: str = BUNDLED  # bundled, none, or a name that fastembed knows
    path: str = ""  # a folder with model.onnx and tokenizer.json; goes before `model`
    cache: str = ""  # the folder where fetched models lie
    download: bool = False  # whether it may be fetched from its hub

    @property
    def is_off(self) -> bool:
        return not self.path and self.model == NONE


def open_embedder(choice: EmbeddingChoice) -> Embedder:
    """Load the chosen model.

    Raises:
        EmbeddingUnavailableError: none is wanted, or it is not whole on this machine.
    """
    if choice.is_off:
        raise EmbeddingUnavailableError(
            NONE, "none is wanted", "Choose one: hindsight config set embedding_model bundled"
        )
    if choice.path or choice.model != BUNDLED:
        from hindsight_cli.providers.fastembed_models import FastembedModel

        return FastembedModel(
            choice.model, path=choice.path, cache=choice.cache, download=choice.download
        )
    from hindsight_cli.providers.minilm import MiniLm

    return MiniLm()
