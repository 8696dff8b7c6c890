"""The terrain: elevations fitted to the plots, slope, aspect and heat load, and where there is water."""
