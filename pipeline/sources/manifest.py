"""The files the pipeline reads: where they come from, what they must be, and where they lie."""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
_MANIFEST = Path(__file__).with_name("sources.json")


class SourceError(Exception):
    """A source file that is missing or is not the one the manifest describes."""


@dataclass(frozen=True)
class Source:
    """One entry of ``sources.json``; ``in_project`` files come with ``npm ci`` and lie in the checkout."""

    name: str
    path: str
    origin: str
    licence: str
    description: str
    bytes: int
    sha256: str
    in_project: bool = False


def read_manifest():
    """All sources by name, in the manifest's order."""
    entries = json.loads(_MANIFEST.read_text(encoding="utf-8"))["sources"]
    return {entry["name"]: Source(**entry) for entry in entries}


class Sources:
    """Checked access to the files of a sources directory laid out as the manifest says."""

    def __init__(self, directory):
        self.directory = Path(directory)
        self.manifest = read_manifest()

    def path(self, name):
        """The file's path, once its SHA-256 is what the manifest says. Raises :class:`SourceError`."""
        source = self.manifest[name]
        path = self.locate(source)
        if not path.is_file():
            hint = "run `npm ci`" if source.in_project else "run `python -m pipeline fetch --sources DIR`"
            raise SourceError(f"{name}: {path} is missing; {hint}")
        found = sha256_of(path)
        if found != source.sha256:
            raise SourceError(f"{name}: {path} has SHA-256 {found}, the manifest says {source.sha256}")
        return path

    def locate(self, source):
        """Where a source lies, whether or not it is there."""
        return (PROJECT if source.in_project else self.directory) / source.path


def sha256_of(path):
    """SHA-256 of a file's bytes, as hexadecimal digits."""
    return hashlib.sha256(path.read_bytes()).hexdigest()
