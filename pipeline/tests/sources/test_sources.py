import hashlib

import pytest

from pipeline.__main__ import main
from pipeline.sources.manifest import SourceError, Sources


def test_a_missing_source_is_named_with_the_command_that_downloads_it(tmp_path):
    with pytest.raises(SourceError, match=r"elevation.*us_25m\.dem is missing.*pipeline fetch"):
        Sources(tmp_path).path("elevation")


def test_a_source_with_another_checksum_is_rejected_with_both_hashes(tmp_path):
    sources = Sources(tmp_path)
    path = tmp_path / sources.manifest["elevation"].path
    path.parent.mkdir()
    path.write_bytes(b"another file")
    found = hashlib.sha256(b"another file").hexdigest()
    with pytest.raises(SourceError, match=f"{found}.*{sources.manifest['elevation'].sha256}"):
        sources.path("elevation")


def test_every_source_names_its_origin_licence_and_hash(tmp_path):
    manifest = Sources(tmp_path).manifest
    assert len({source.path for source in manifest.values()}) == len(manifest)
    for source in manifest.values():
        assert source.origin.startswith(("https://", "npm:"))
        assert source.licence
        assert len(source.sha256) == 64


def test_a_failing_command_prints_one_line_and_exits_with_1(tmp_path, capsys):
    assert main(["grid", "--sources", str(tmp_path)]) == 1
    assert capsys.readouterr().err.splitlines()[-1].startswith("pipeline: fia_oregon_summary: ")
