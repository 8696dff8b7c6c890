"""The files of ``data/`` that the service reads, and their checksums in ``SHA256SUMS``."""

from pipeline.sources.manifest import PROJECT, sha256_of

DATA = PROJECT / "data"
GRID = DATA / "grid.arrow"
REGIONS = DATA / "regions.geojson"
SPECIES = DATA / "species.json"
CHECKSUMS = "SHA256SUMS"


def write_checksums(directory):
    """Write ``SHA256SUMS`` in the format of sha256sum(1), by file name; call it after all files are written."""
    names = sorted(path.name for path in (GRID, REGIONS, SPECIES))
    lines = [f"{sha256_of(directory / name)}  {name}\n" for name in names]
    (directory / CHECKSUMS).write_text("".join(lines), encoding="ascii")
