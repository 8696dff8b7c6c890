"""A column of the grid."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Column:
    """One column. ``kind`` is observed (read from a map of the variable), interpolated or derived.

    A value is ``offset`` + ``scale`` * the stored integer of type ``stored``, and within ``minimum`` and ``maximum``.
    """

    name: str
    unit: str
    description: str
    kind: str
    source: str
    method: str
    minimum: float
    maximum: float
    stored: str
    scale: float
    offset: float = 0.0

    def encode(self, values):
        """Return integers [N] for values [N]; ValueError if one does not lie within the bounds."""
        values = np.asarray(values, dtype=float)
        if not ((values >= self.minimum) & (values <= self.maximum)).all():
            raise ValueError(f"{self.name}: {values.min():g} to {values.max():g} exceeds its bounds")
        integers = np.rint((values - self.offset) / self.scale)
        limits = np.iinfo(self.stored)
        if integers.min() < limits.min or integers.max() > limits.max:
            raise ValueError(f"{self.name}: {values.min():g} to {values.max():g} does not fit {self.stored}")
        return integers.astype(self.stored)

    def decode(self, integers):
        """Return float32 values [N]."""
        return (self.offset + self.scale * integers.astype(float)).astype(np.float32)
