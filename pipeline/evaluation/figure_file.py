"""Figures as small PNG files whose bytes depend on the picture alone: a palette, no date, no version."""

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from PIL import Image

_PALETTE_COLOURS = 256


def save_png(figure, path):
    """Draws a matplotlib figure and writes it; a palette makes files a third of the size."""
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    picture = Image.fromarray(np.asarray(canvas.buffer_rgba())[..., :3])
    path.parent.mkdir(parents=True, exist_ok=True)
    # This method gives thin lines and small dots their colour too; a round of k-means keeps large areas true to theirs.
    picture.quantize(_PALETTE_COLOURS, method=Image.Quantize.MAXCOVERAGE, kmeans=1).save(path, optimize=True)
