"""Any other embedding model: one that fastembed knows, or a folder. The only door to fastembed."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hindsight_cli.errors import EmbeddingUnavailableError

_E5 = ("query: ", "passage: ")  # E5 was trained with these before every text
_WEIGHTS = ("model.onnx", "model_optimized.onnx", "onnx/model.onnx")


class FastembedModel:
    """A model as fastembed runs it, one thread, from this machine unless told to fetch it."""

    def __init__(
        self, model: str, *, path: str = "", cache: str = "", download: bool = False
    ) -> None:
        """Load it.

        Args:
            model: its name in fastembed; of no matter when `path` is given.
            path: a folder with the weights and tokenizer.json.
            cache: the folder where fetched models lie.
            download: whether it may be fetched from its hub.

        Raises:
            EmbeddingUnavailableError: unknown, not whole, or not on this machine.
        """
        named = path or model
        try:
            from fastembed import TextEmbedding  # heavy: only where a text is embedded
            from loguru import logger

            logger.disable("fastembed")  # what it has to say comes as an error of ours
            if path:
                self._model: Any = _of_folder(TextEmbedding, Path(path).expanduser())
            else:
                self._model = TextEmbedding(
                    model, threads=1, cache_dir=cache, local_files_only=not download
                )
            first = self._rows(["."])
        except EmbeddingUnavailableError:
            raise
        except Exception as error:  # whatever it or a native library raises: words still work
            raise EmbeddingUnavailableError(
                named, str(error).rstrip("."), _hint(model, path)
            ) from error
        self.dimension = int(first.shape[1])
        self._style = _E5 if "e5" in Path(named).name.lower() else ("", "")
        self.name = f"{named}{' (query/passage)' if self._style[0] else ''}"

    def documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """float32, shape (len(texts), dimension), rows of length 1."""
        return self._rows([self._style[1] + text for text in texts])

    def query(self, text: str) -> NDArray[np.float32]:
        """float32, shape (dimension,), of length 1."""
        found: NDArray[np.float32] = self._rows([self._style[0] + text])[0]
        return found

    def _rows(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if not texts:
            return np.zeros((0, self.dimension), np.float32)
        sound = [text.encode("utf-8", "replace").decode("utf-8") for text in texts]
        rows = np.array(list(self._model.embed(sound, batch_size=16)), dtype=np.float32)
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        found: NDArray[np.float32] = rows / np.maximum(lengths, 1e-9)
        return found


def _of_folder(text_embedding: Any, folder: Path) -> Any:
    from fastembed.common.model_description import ModelSource, PoolingType

    weights = next((name for name in _WEIGHTS if (folder / name).is_file()), None)
    if weights is None or not (folder / "tokenizer.json").is_file():
        raise EmbeddingUnavailableError(
            str(folder), "it holds no model.onnx and tokenizer.json", _hint("", str(folder))
        )
    own = f"hindsight/{hashlib.sha256(str(folder.absolute()).encode()).hexdigest()[:12]}"
    with contextlib.suppress(ValueError):  # registered before in this process
        text_embedding.add_custom_model(
            model=own,
            pooling=PoolingType.MEAN,
            normalization=True,
            sources=ModelSource(url="file://local"),
            dim=0,
            model_file=weights,
        )
    return text_embedding(own, specific_model_path=str(folder), threads=1)


def _hint(model: str, path: str) -> str:
    if path:
        return "The folder needs model.onnx, tokenizer.json and tokenizer_config.json."
    return (
        f"Fetch it once: hindsight index embed --download, or choose another:"
        f" hindsight config set embedding_model bundled (is: {model})"
    )
