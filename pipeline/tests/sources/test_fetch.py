import hashlib
from dataclasses import replace

import pytest

from pipeline.sources.fetch import fetch
from pipeline.sources.manifest import Source, SourceError, Sources

CONTENT = b"elevations"


@pytest.fixture
def sources(tmp_path):
    origin = tmp_path / "origin"
    origin.write_bytes(CONTENT)
    source = Source(
        name="small",
        path="folder/small.txt",
        origin=origin.as_uri(),
        licence="none",
        description="a file",
        bytes=len(CONTENT),
        sha256=hashlib.sha256(CONTENT).hexdigest(),
    )
    sources = Sources(tmp_path / "sources")
    sources.manifest = {"small": source}
    return sources


def test_a_missing_source_is_downloaded_and_can_then_be_read(sources):
    fetch(sources)
    assert sources.path("small").read_bytes() == CONTENT


def test_a_source_with_the_right_checksum_is_not_downloaded_again(sources, tmp_path):
    fetch(sources)
    (tmp_path / "origin").unlink()
    fetch(sources)


def test_a_changed_origin_is_rejected_and_no_file_remains(sources, tmp_path):
    (tmp_path / "origin").write_bytes(b"other")
    with pytest.raises(SourceError, match=r"small: .* has SHA-256 .* expected"):
        fetch(sources)
    assert list((tmp_path / "sources" / "folder").iterdir()) == []


def test_a_file_that_no_url_gives_is_named_with_its_origin(sources):
    sources.manifest["small"] = replace(sources.manifest["small"], manual=True)
    with pytest.raises(SourceError, match=r"by hand.*small \(folder/small\.txt, from file://"):
        fetch(sources)
    assert not (sources.directory / "folder" / "small.txt").exists()


def test_an_unreachable_origin_is_one_clear_error(sources, tmp_path):
    (tmp_path / "origin").unlink()
    with pytest.raises(SourceError, match=r"small: .* cannot be read"):
        fetch(sources)
