"""Names for types of arrays."""

from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]
