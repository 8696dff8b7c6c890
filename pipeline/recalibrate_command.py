"""``python -m pipeline recalibrate``: writes models with a recalibration applied, for the service."""

import copy
import shutil
from collections.abc import Collection
from pathlib import Path

from pipeline.evaluation.evidence.document.card import evidence_section
from pipeline.evaluation.evidence.document.write import write_into_manifest
from pipeline.evaluation.evidence.plantings import read_plantings
from pipeline.evaluation.evidence.predictions import compare_plantings
from pipeline.evaluation.model_card.text import markdown_table
from pipeline.grid.arrow_file import read_grid
from pipeline.grid.data_files import GRID
from pipeline.models.artefacts import ModelArtefacts, ModelsError, read_artefacts, recalibrated_methods
from pipeline.models.manifest import manifest_text, without_trees
from pipeline.models.recalibration import SCORES, read_recalibration, recalibrated_graph
from pipeline.sources.manifest import sha256_of

_STILL_SIMULATED = "Differences between sites and species remain simulated: do not choose by them what to plant."
CAUTION = {
    "simulated": (
        f"The models are trained on simulated outcomes and then recalibrated to observed ones. {_STILL_SIMULATED}"
    ),
    "calibrated": (
        "The models are trained on outcomes of a simulation that was conditioned on observed plantings, and then "
        f"recalibrated to observed outcomes. {_STILL_SIMULATED}"
    ),
    "observed": (
        "The models are fitted to a table of observed outcomes and recalibrated to a table of observed outcomes. "
        "For species, sites and years that the tables do not cover, the survival figures are extrapolated."
    ),
}


def run(recalibration_file: Path, models_directory: Path, number: str, output: Path) -> None:
    """Write the graphs, manifest.json and model-card.md of recalibrated models of version `number` into `output`."""
    models = read_artefacts(models_directory)
    content, every_line = read_recalibration(recalibration_file)
    _check_models(recalibration_file, content, models)
    lines = {method: of_method for method, of_method in every_line.items() if of_method.changes.any()}
    if not lines:
        raise ModelsError(
            f"{recalibration_file}: changes no model: every intercept is 0 and every slope 1 "
            "(report.md of the evaluation says why)"
        )
    if output.resolve() == models_directory.resolve():
        raise ModelsError(f"{output}: holds the models to recalibrate; name another directory")
    output.mkdir(parents=True, exist_ok=True)
    manifest = copy.deepcopy(models.manifest)
    for method in models.methods:
        graph = output / f"{method}.onnx"
        if method in lines:
            proto = recalibrated_graph(models.graph(method), lines[method])
            graph.write_bytes(proto.SerializeToString(deterministic=True))
        else:
            shutil.copyfile(models.graph(method), graph)
        manifest["methods"][method] |= {"file": graph.name, "sha256": sha256_of(graph)}
        # Draws of the unchanged interval graphs would not be around the new predictions.
        manifest["methods"][method].pop("intervals", None)
    provenance, version = manifest["provenance"], f"{manifest['coverage']}_v{number}_{manifest['codename']}"
    # `evaluate` finds in it every table that the models know, also that of an earlier recalibration.
    earlier = {"recalibration": provenance["recalibration"]} if "recalibration" in provenance else {}
    recalibration = earlier | {
        "base": models.manifest["version"],
        "base_sha256": models.sha256(),
        "outcomes": content["outcomes"],
    }
    changed = {*lines, *recalibrated_methods(models)}
    manifest |= {
        "version": version,
        "interval_level": None,
        "caution": _caution(models, [method for method in models.methods if method not in changed]),
        "scores": _scores(models.manifest["scores"], content["scores"], lines),
        "provenance": provenance | {"recalibration": recalibration},
    }
    (output / "manifest.json").write_text(manifest_text(manifest), encoding="utf-8")
    comparisons = compare_plantings(read_grid(GRID), read_artefacts(output), read_plantings())
    write_into_manifest(manifest, comparisons, output)
    tested = evidence_section(comparisons, manifest)
    card = "\n\n".join([_card(models, content, lines, manifest), tested]) + "\n"
    (output / "model-card.md").write_text(card, encoding="utf-8")
    print(f"wrote {output / 'manifest.json'}")


def _check_models(file: Path, content: dict, models: ModelArtefacts) -> None:
    """Raise ModelsError unless the recalibration was fitted to these models."""
    fitted = content["models"]
    if fitted.get("sha256") != models.sha256():
        raise ModelsError(
            f"{file}: was fitted to other models ({fitted.get('version')}) than those of {models.directory} "
            f"({models.manifest['version']}): run evaluate on these"
        )


def _caution(models: ModelArtefacts, copied: list[str]) -> str:
    """Return the caution of recalibrated models, of which some methods are those of the base."""
    if "kept" in models.manifest["provenance"]:
        parts = [models.manifest["caution"], "The models were then recalibrated to observed outcomes."]
    else:
        parts = [CAUTION[models.manifest["outcomes"]] + without_trees(models.manifest["provenance"])]
    if copied:
        unchanged = f"The {' and '.join(copied)} model is unchanged"
        parts.append(f"{unchanged}: do not choose a method by the difference between them.")
    return " ".join(parts)


def _scores(base: list[dict], estimated: list[dict], methods: Collection[str]) -> list[dict]:
    """Return the estimated scores of the recalibrated methods, rounded, and the base's of the others.

    The service requires a Brier score and a calibration error: years without one are left out.
    """
    kept = [entry for entry in base if entry["planting_method"] not in methods]
    recalibrated = [entry for entry in estimated if entry["planting_method"] in methods]
    required = ("brier", "expected_calibration_error")
    return kept + [
        entry | {name: round(entry[name], 4) for name in SCORES if entry[name] is not None}
        for entry in recalibrated
        if all(entry[name] is not None for name in required)
    ]


def _card(models: ModelArtefacts, content: dict, methods: Collection[str], manifest: dict) -> str:
    table = content["outcomes"]
    header = ["method", "horizon", "intercept", "slope"]
    rows = [
        [method, str(entry["horizon_years"]), f"{entry['intercept']:.3f}", f"{entry['slope']:.3f}"]
        for method in methods
        for entry in content["methods"][method]
    ]
    kept = [method for method in models.methods if method not in methods]
    of_base = f"; those of {' and '.join(kept)} are those of the base models" if kept else ""
    unchanged = "".join(f" The {method} model is unchanged." for method in kept)
    return f"""# Model card: {manifest["version"]}

**{manifest["caution"]}**

The models {models.manifest["version"]}, recalibrated to {table["file"]} (SHA-256 {table["sha256"]}) by
`python -m pipeline recalibrate`. The logit of the hazard of each period is intercept + slope times the logit in the
base models.{unchanged} Everything else is as in the model card of the base models. There are no intervals.

{markdown_table(header, rows)}

The scores of {" and ".join(methods)} in `manifest.json`, where they could be estimated, are on held-out blocks of that
table (`docs/outcomes.md`){of_base}."""
