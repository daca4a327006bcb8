"""Pack text into a token file once, and find it again by content and tokenizer alone."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Protocol

import numpy as np
from jaxtyping import Integer

from typedtorch.data.binary import not_text
from typedtorch.data.corpus import collect_files
from typedtorch.data.errors import DataError, WriteError
from typedtorch.data.tokenfile import write_tokens


class Tokenizer(Protocol):
    """Text to token ids; ``name`` has to change whenever the ids would."""

    @property
    def name(self) -> str: ...
    @property
    def vocab(self) -> int: ...
    @property
    def separator(self) -> int: ...
    def encode(self, text: bytes, /) -> Integer[np.ndarray, "tokens"]: ...


class ByteTokenizer:
    """Each byte is its own token; byte 0, which text does not hold, stands between documents.

    >>> BYTES.encode(b"ab\\0c").tolist(), BYTES.decode(np.array([97, 98, 99]))
    ([97, 98, 99], 'abc')
    """

    name, vocab, separator = "bytes-1", 256, 0

    def encode(self, text: bytes, /) -> Integer[np.ndarray, "tokens"]:
        """The bytes of ``text``, without any zero."""
        return np.frombuffer(text.replace(b"\0", b""), np.uint8)

    def decode(self, tokens: Integer[np.ndarray, "tokens"], /) -> str:
        """The text; bytes that are no UTF-8 become U+FFFD."""
        return tokens.astype(np.uint8).tobytes().decode("utf-8", errors="replace")


BYTES = ByteTokenizer()
Progress = Callable[[int, int], None]


def cache_folder() -> Path:
    """``$XDG_CACHE_HOME/typedtorch``, by default ``~/.cache/typedtorch``."""
    base = os.environ.get("XDG_CACHE_HOME")
    root = Path(base) if base and os.path.isabs(base) else Path.home() / ".cache"
    return root / "typedtorch"


def pack_files(
    files: Sequence[str | os.PathLike[str]] | str | os.PathLike[str],
    *,
    tokenizer: Tokenizer = BYTES,
    folder: Path | None = None,
    progress: Progress | None = None,
    workers: int = 0,
    again: bool = False,
) -> Path:
    """Tokenise ``files`` into one token file, a separator after each, and return its path.

    ``files`` are paths, or one path, folder or glob (:func:`collect_files`). The name of the token file is a
    digest of the texts and the tokenizer, so the same text is packed once whatever else changes, and changed
    text is never mistaken for the old. ``workers`` processes tokenise in parallel; zero does it in threads; a
    few files are in memory at a time. ``progress(done, total)`` is called per file. ``again`` packs what has
    been packed already, where that is found to be damaged.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as place:
    ...     files = [Path(place, name) for name in ("a.txt", "b.txt")]
    ...     sizes = [path.write_text(text) for path, text in zip(files, ("to be", "or not"), strict=True)]
    ...     packed = pack_files(files, folder=Path(place, "cache"))
    ...     packed.read_bytes()[128:], sizes  # after the header
    (b'to be\\x00or not\\x00', [5, 6])

    Raises:
        DataError: a file cannot be read or tokenised, is no text, changed meanwhile, or all are empty.
        WriteError: the cache folder cannot be written.
    """
    folder = folder if folder is not None else cache_folder()
    paths = collect_files(files) if isinstance(files, str | os.PathLike) else [Path(each) for each in files]
    digests = _digests(paths, tokenizer)
    key = hashlib.sha256(b"".join([tokenizer.name.encode(), *digests])).hexdigest()[:32]
    target = folder / f"{key}.tok"
    if target.is_file() and not again:
        return target
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        found, hint = error.strerror or repr(error), "XDG_CACHE_HOME names another place"
        raise WriteError(folder, "a cache folder that can be made", found, hint) from error
    write_tokens(
        target,
        _encode_all(list(zip(paths, digests, strict=True)), tokenizer, progress, workers),
        vocab=tokenizer.vocab,
        separator=tokenizer.separator,
    )
    return target


def _digests(files: Sequence[Path], tokenizer: Tokenizer) -> list[bytes]:
    with ThreadPoolExecutor() as pool:
        found = list(pool.map(partial(_digest, tokenizer), files))
    if not sum(size for size, _ in found):
        where = files[0] if len(files) == 1 else f"{len(files)} files"
        raise DataError(where, "text", "nothing but empty files" if files else "no files")
    return [digest for _, digest in found]


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise DataError(path, "a readable file", error.strerror or repr(error)) from error


def _digest(tokenizer: Tokenizer, path: Path) -> tuple[int, bytes]:
    text = _read(path)
    found = not_text(text) if isinstance(tokenizer, ByteTokenizer) else None  # another one may know better
    if found:
        wanted = "text in UTF-8, or tokens in files .npy, .bin or .tok alone"
        hint = "a glob such as '*.txt' names text alone; as tokens of dtype uint8 any bytes are read"
        raise DataError(path, wanted, found, hint)
    return len(text), hashlib.sha256(text).digest()


def _encode(tokenizer: Tokenizer, file: tuple[Path, bytes]) -> np.ndarray:
    path, digest = file
    text = _read(path)
    if hashlib.sha256(text).digest() != digest:  # the cache would have the name of one text and hold another
        raise DataError(
            path, "the text of a moment ago", "another one", "the file changed while it was packed"
        )
    try:
        tokens = np.asarray(tokenizer.encode(text))
    except Exception as error:
        found = f"{type(error).__name__}: {error}"
        raise DataError(path, f"text that tokenizer {tokenizer.name} takes", found) from error
    if not tokens.size or tokenizer.separator < 0:
        return tokens
    return np.append(tokens, tokens.dtype.type(tokenizer.separator))


def _encode_all(
    files: Sequence[tuple[Path, bytes]], tokenizer: Tokenizer, progress: Progress | None, workers: int
) -> Iterator[np.ndarray]:
    pool: Executor = ProcessPoolExecutor(workers) if workers else ThreadPoolExecutor()
    ahead = 64 * (workers or os.cpu_count() or 1)  # what is tokenised and not yet written is in memory
    with pool:
        for begin in range(0, len(files), ahead):
            some = files[begin : begin + ahead]
            for done, tokens in enumerate(
                pool.map(partial(_encode, tokenizer), some, chunksize=8), begin + 1
            ):
                if progress:
                    progress(done, len(files))
                if tokens.size:
                    yield tokens
