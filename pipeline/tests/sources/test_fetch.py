import hashlib

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


def test_what_is_missing_is_fetched_and_then_open_to_read(sources):
    fetch(sources)
    assert sources.path("small").read_bytes() == CONTENT


def test_what_is_there_and_right_is_not_fetched_again(sources, tmp_path):
    fetch(sources)
    (tmp_path / "origin").unlink()
    fetch(sources)


def test_an_origin_that_changed_is_refused_and_leaves_nothing_behind(sources, tmp_path):
    (tmp_path / "origin").write_bytes(b"other")
    with pytest.raises(SourceError, match=r"small: .* has SHA-256 .* expected"):
        fetch(sources)
    assert list((tmp_path / "sources" / "folder").iterdir()) == []


def test_an_origin_out_of_reach_is_one_clear_error(sources, tmp_path):
    (tmp_path / "origin").unlink()
    with pytest.raises(SourceError, match=r"small: .* cannot be read"):
        fetch(sources)
