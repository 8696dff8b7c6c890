"""Rasters: cells as sites in windows, and their answers as bands. Imported only where a raster is predicted."""
