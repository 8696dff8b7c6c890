"""The public files that the pipeline reads: manifest, download and readers."""
