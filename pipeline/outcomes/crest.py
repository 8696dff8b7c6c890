"""The crest of the Cascades, which divides the region into west and east."""

import numpy as np

# Latitude and longitude of its turning points, straight between.
_CREST = np.array([(42.0, -122.2), (43.0, -122.1), (44.0, -121.85), (45.4, -121.7), (46.8, -121.5), (47.4, -121.4),
                   (48.0, -121.1), (49.0, -120.8)])  # fmt: skip


def crest_longitude(latitude):
    """Return the longitude of the crest at latitudes [N]; beyond 42 and 49 N, where no grid is, that of the end."""
    return np.interp(latitude, *_CREST.T)


def west_of_crest(latitude, longitude):
    """Return a boolean [N]: west of the crest of the Cascades."""
    return longitude < crest_longitude(latitude)
