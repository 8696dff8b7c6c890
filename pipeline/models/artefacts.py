"""A directory of models as the service reads it: a manifest and the graph of each planting method."""

import json
from dataclasses import dataclass
from pathlib import Path

from pipeline.outcomes.periods import HORIZONS, METHODS
from pipeline.sources.manifest import SourceError, sha256_of

FORMAT = "nurselog-model/3"
OUTCOMES = ("simulated", "calibrated", "observed")


class ModelsError(SourceError):
    """A directory of models that cannot be used; the message is one line that names the file and the value."""


@dataclass(frozen=True)
class ModelArtefacts:
    """A models directory whose graphs have the SHA-256 of the manifest."""

    directory: Path
    manifest: dict

    @property
    def methods(self) -> list[str]:
        """The planting methods of the manifest."""
        return list(self.manifest["methods"])

    @property
    def feature_names(self) -> list[str]:
        """The inputs of the graphs, which are columns of the grid."""
        return [feature["name"] for feature in self.manifest["features"]]

    def graph(self, method: str) -> Path:
        """Return the file of a method's graph."""
        return self.directory / self.manifest["methods"][method]["file"]

    def sha256(self) -> dict[str, str]:
        """Return the SHA-256 of each method's graph."""
        return {method: entry["sha256"] for method, entry in self.manifest["methods"].items()}


def simulated_methods(manifest: dict) -> list[str]:
    """Return the methods whose model is trained on simulated outcomes, calibrated to observed ones or not."""
    return [name for name in manifest["methods"] if _is_simulated(name, manifest["outcomes"], manifest["provenance"])]


def _is_simulated(method: str, outcomes: str | None, provenance: dict) -> bool:
    """Return whether a method of models of such outcomes is of simulated ones; models may keep it from others."""
    if "kept" not in provenance:
        return outcomes in ("simulated", "calibrated")
    base = provenance["kept"].get(method)
    return base is not None and _is_simulated(method, base.get("outcomes"), base.get("provenance", {}))


def recalibrated_methods(models: ModelArtefacts) -> list[str]:
    """Return the methods whose model the last recalibration changed, if there was one."""
    recalibration = models.manifest["provenance"].get("recalibration")
    if recalibration is None:
        return []
    base = recalibration.get("base_sha256", {})
    return [name for name, sha256 in models.sha256().items() if base.get(name) != sha256]


def known_tables(provenance: dict) -> list[dict]:
    """Return file and SHA-256 of the tables that models know by their provenance, which has that of their bases."""
    parts = {name: part for name, part in provenance.items() if isinstance(part, dict)}
    own = [parts["outcomes"]] if "sha256" in parts.get("outcomes", {}) else []
    return own + [table for part in parts.values() for table in known_tables(part)]


def read_artefacts(directory: Path) -> ModelArtefacts:
    """Read a models directory; ModelsError if it is not one, or a graph is missing or not the manifest's."""
    path = directory / "manifest.json"
    manifest = read_object(path, FORMAT)
    # The service does not read it, so that models of other makers may have none.
    manifest.setdefault("provenance", {})
    _check(path, manifest)
    models = ModelArtefacts(directory, manifest)
    for method, sha256 in models.sha256().items():
        graph = models.graph(method)
        if not graph.is_file():
            raise ModelsError(f"{graph}: does not exist, but {path} names it")
        if sha256_of(graph) != sha256:
            raise ModelsError(f"{graph}: does not have the SHA-256 of {path}")
    return models


def read_object(path: Path, wanted: str) -> dict:
    """Return the JSON object of a file; ModelsError if it has another format."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ModelsError(f"{path}: cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise ModelsError(f"{path}: is not JSON: {error}") from error
    found = content.get("format") if isinstance(content, dict) else None
    if found != wanted:
        raise ModelsError(f"{path}: format must be {wanted}, not {found!r}")
    return content


def check_methods(path: Path, methods: object) -> None:
    """Raise ModelsError unless the methods of a file are an object with planting methods as keys."""
    if not isinstance(methods, dict) or not methods or not set(methods) <= set(METHODS):
        raise ModelsError(f"{path}: methods must have {' or '.join(METHODS)}, not {methods!r:.80}")


def _check(path: Path, given: dict) -> None:
    """Raise ModelsError for the first part of a manifest that the commands need and that is missing or invalid."""
    if given.get("horizons") != list(HORIZONS):
        raise ModelsError(f"{path}: horizons must be {list(HORIZONS)}, not {given.get('horizons')!r}")
    check_methods(path, given.get("methods"))
    for method, entry in given["methods"].items():
        if not isinstance(entry, dict) or not all(isinstance(entry.get(name), str) for name in ("file", "sha256")):
            raise ModelsError(f"{path}: methods.{method} must have file and sha256")
    features, species = given.get("features"), given.get("species")
    if not _all(features, lambda feature: isinstance(feature, dict) and isinstance(feature.get("name"), str)):
        raise ModelsError(f"{path}: features must be a list of objects with a name")
    if not _all(species, lambda code: isinstance(code, str)):
        raise ModelsError(f"{path}: species must be a list of codes")
    for name in ("version", "coverage", "codename"):
        if not isinstance(given.get(name), str):
            raise ModelsError(f"{path}: {name} must be a text, not {given.get(name)!r}")
    if given.get("outcomes") not in OUTCOMES:
        raise ModelsError(f"{path}: outcomes must be {_listed(OUTCOMES)}, not {given.get('outcomes')!r}")
    if not isinstance(given.get("scores"), list) or not isinstance(given.get("provenance"), dict):
        raise ModelsError(f"{path}: must have a list of scores and an object provenance")


def _listed(words: tuple[str, ...]) -> str:
    return f"{', '.join(words[:-1])} or {words[-1]}"


def _all(values: object, holds) -> bool:
    return isinstance(values, list) and len(values) > 0 and all(holds(value) for value in values)
