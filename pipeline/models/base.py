"""The graph of a method without trees in an outcomes table: it is kept from other models, the base."""

from pathlib import Path

from pipeline.models.artefacts import ModelArtefacts, ModelsError
from pipeline.models.features import INPUT_NAMES
from pipeline.models.manifest import EXTRAPOLATED, manifest_text, without_trees
from pipeline.outcomes.periods import METHODS
from pipeline.outcomes.species import species_codes


def check_base(base: ModelArtefacts, kept: str) -> None:
    """Raise ModelsError unless the base has the kept method for the same features and species as new models."""
    path = base.directory / "manifest.json"
    if kept not in base.methods:
        raise ModelsError(f"{path}: has no model for {kept}, and the table has no tree of it to train one")
    for name, own, new in (
        ("features", base.feature_names, INPUT_NAMES),
        ("species", base.manifest["species"], species_codes()),
    ):
        if own != new:
            other = next(iter(set(own) ^ set(new)), "their order")
            raise ModelsError(f"{path}: {name} differ from those of new models ({other}): its {kept} cannot be kept")


def keep_method(base: ModelArtefacts, kept: str, manifest: dict, directory: Path) -> dict:
    """Copy the kept method's graph beside new models, and its entries into their manifest, which it returns.

    The models count as simulated if those of the base do. There are no intervals: those of the base are not of the
    same worlds.
    """
    (directory / f"{kept}.onnx").write_bytes(base.graph(kept).read_bytes())
    entry = base.manifest["methods"][kept] | {"file": f"{kept}.onnx"}
    entry.pop("intervals", None)
    methods = manifest["methods"] | {kept: entry}
    for of_method in methods.values():
        of_method.pop("intervals", None)
    trained = next(method for method in METHODS if method != kept)
    origin = {name: base.manifest.get(name) for name in ("version", "outcomes", "provenance")}
    provenance = manifest["provenance"] | {"kept": {kept: origin | {"sha256": entry["sha256"]}}}
    manifest = manifest | {
        "outcomes": origin["outcomes"],
        "caution": (
            f"The {trained} model is fitted to a table of observed outcomes; the {kept} model is that of "
            f"{origin['version']}, from {origin['outcomes']} outcomes. Do not choose a method by the difference "
            f"between them. {EXTRAPOLATED}{without_trees(provenance)}"
        ),
        "methods": {method: methods[method] for method in METHODS},
        "interval_level": None,
        "scores": manifest["scores"] + [score for score in base.manifest["scores"] if score["planting_method"] == kept],
        "provenance": provenance,
    }
    (directory / "manifest.json").write_text(manifest_text(manifest), encoding="utf-8")
    return manifest
