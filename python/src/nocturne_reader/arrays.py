"""Arrays of NumPy where it is installed, else lists."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64] | list[float]
    Bytes: TypeAlias = NDArray[np.uint8] | list[int]

HAS_NUMPY = importlib.util.find_spec("numpy") is not None


def floats(values: Sequence[float]) -> Floats:
    """64-bit floating point."""
    if not HAS_NUMPY:
        return [float(value) for value in values]
    import numpy as np

    return np.asarray(values, dtype=np.float64)


def unsigned_bytes(blob: bytes) -> Bytes:
    """0 to 255."""
    if not HAS_NUMPY:
        return list(blob)
    import numpy as np

    return np.frombuffer(blob, dtype=np.uint8)
