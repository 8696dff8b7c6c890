import hashlib

import pytest

from pipeline.grid.data_files import CHECKSUMS, DATA, GRID, REGIONS, SPECIES, write_checksums


@pytest.mark.parametrize("path", [GRID, REGIONS, SPECIES], ids=lambda path: path.name)
def test_the_committed_checksums_are_those_of_the_committed_files(path):
    by_name = dict(reversed(line.split("  ")) for line in (DATA / CHECKSUMS).read_text(encoding="ascii").splitlines())
    assert by_name[path.name] == hashlib.sha256(path.read_bytes()).hexdigest(), "run the grid command"


def test_checksums_are_in_the_format_of_sha256sum_by_file_name(tmp_path):
    for path in (SPECIES, GRID, REGIONS):
        (tmp_path / path.name).write_bytes(b"abc")
    write_checksums(tmp_path)
    digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    names = ("grid.arrow", "regions.geojson", "species.json")
    assert (tmp_path / CHECKSUMS).read_text(encoding="ascii") == "".join(f"{digest}  {name}\n" for name in names)
