"""Token files, samplers, batches: everything between text on a disk and a batch on a device."""

from typedtorch.data.batches import Batch, Shard, TokenBatches, get_batch, row_buffer
from typedtorch.data.corpus import collect_files, standard_library
from typedtorch.data.errors import DataError, FileProblem, PrefetchError, WriteError
from typedtorch.data.joined import JoinedTokens, open_shards
from typedtorch.data.pack import BYTES, ByteTokenizer, Tokenizer, pack_files
from typedtorch.data.prefetch import Prefetcher
from typedtorch.data.samplers import EpochStarts, Sampler, UniformStarts
from typedtorch.data.sources import FileTokens, MemoryTokens, TokenSpan, open_tokens, split
from typedtorch.data.tokenfile import write_tokens
from typedtorch.data.tokens import OpenTokens, RowBuffer, Tokens

__all__ = [
    "BYTES",
    "Batch",
    "ByteTokenizer",
    "DataError",
    "EpochStarts",
    "FileProblem",
    "FileTokens",
    "JoinedTokens",
    "MemoryTokens",
    "OpenTokens",
    "PrefetchError",
    "Prefetcher",
    "RowBuffer",
    "Sampler",
    "Shard",
    "TokenBatches",
    "TokenSpan",
    "Tokenizer",
    "Tokens",
    "UniformStarts",
    "WriteError",
    "collect_files",
    "get_batch",
    "open_shards",
    "open_tokens",
    "pack_files",
    "row_buffer",
    "split",
    "standard_library",
    "write_tokens",
]
