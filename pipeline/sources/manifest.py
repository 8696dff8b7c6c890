"""The source files of the pipeline: their origins, their checksums and their paths."""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
_MANIFEST = Path(__file__).with_name("sources.json")


class SourceError(Exception):
    """A source file is missing or is not the one that the manifest describes."""


@dataclass(frozen=True)
class Source:
    """One entry of ``sources.json``; ``in_project`` files are in the checkout after ``npm ci``.

    ``manual`` files are cut from their origin or unpacked by hand, so that no URL gives their bytes.
    """

    name: str
    path: str
    origin: str
    licence: str
    description: str
    bytes: int
    sha256: str
    in_project: bool = False
    manual: bool = False


def read_manifest():
    """Return all sources by name, in the order of the manifest."""
    entries = json.loads(_MANIFEST.read_text(encoding="utf-8"))["sources"]
    return {entry["name"]: Source(**entry) for entry in entries}


class Sources:
    """Checked access to the files of a directory with the layout of the manifest."""

    def __init__(self, directory):
        self.directory = Path(directory)
        self.manifest = read_manifest()

    def path(self, name):
        """Return the path of a source. Raises :class:`SourceError` if it is missing or its SHA-256 differs."""
        source = self.manifest[name]
        path = self.locate(source)
        if not path.is_file():
            hint = "run `npm ci`" if source.in_project else "run `python -m pipeline fetch --sources DIR`"
            raise SourceError(f"{name}: {path} is missing; {hint}")
        found = sha256_of(path)
        if found != source.sha256:
            raise SourceError(f"{name}: {path} has SHA-256 {found}, the manifest lists {source.sha256}")
        return path

    def locate(self, source):
        """Return the path of a source, whether or not the file exists."""
        return (PROJECT if source.in_project else self.directory) / source.path


def sha256_of(path):
    """Return the SHA-256 of a file in hexadecimal."""
    return hashlib.sha256(path.read_bytes()).hexdigest()
