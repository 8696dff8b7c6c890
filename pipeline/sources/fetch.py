"""Downloads the sources from their origins and checks each against the manifest."""

import hashlib
import urllib.request

from tqdm import tqdm

from pipeline.sources.manifest import SourceError, sha256_of

_TIMEOUT_S = 60


def fetch(sources):
    """Download what is missing from the sources directory or has another checksum.

    Raises :class:`SourceError` if an origin cannot be read or its file is not the one in the manifest; such a file is
    not written. Files that no URL gives are named at the end, if they are missing.
    """
    wanted = [source for source in sources.manifest.values() if not source.in_project]
    missing = []
    for source in tqdm(wanted, desc="fetch", unit="file"):
        path = sources.locate(source)
        if path.is_file() and sha256_of(path) == source.sha256:
            continue
        if source.manual:
            missing.append(f"{source.name} ({source.path}, from {source.origin})")
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with urllib.request.urlopen(source.origin, timeout=_TIMEOUT_S) as response:
                body = response.read()
        except OSError as error:
            raise SourceError(f"{source.name}: {source.origin} cannot be read: {error}") from error
        found = hashlib.sha256(body).hexdigest()
        if found != source.sha256:
            raise SourceError(f"{source.name}: {source.origin} has SHA-256 {found}, expected {source.sha256}")
        partial = path.with_name(path.name + ".partial")
        partial.write_bytes(body)
        partial.replace(path)
    if missing:
        raise SourceError(f"to be cut or unpacked by hand, as sources.json describes: {', '.join(missing)}")
