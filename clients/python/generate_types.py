"""Writes `src/nurselog/types.py` from the service's `/openapi.json`: `python generate_types.py URL`, or a file."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from datamodel_code_generator import Formatter, InputFileType, LiteralType, PythonVersion, generate
from datamodel_code_generator.enums import DataModelType

TARGET = Path(__file__).parent / "src/nurselog/types.py"
HEADER = '"""The types of requests and answers, written by generate_types.py from the service\'s /openapi.json."""'
# Bodies that the client never returns as objects.
LEFT_OUT = (
    "SurfaceCsv",
    "SurfaceArrow",
    "SurfaceTiff",
    "SurfaceFeature",
    "SurfaceFeatures",
    "CsvTable",
    "NdjsonTable",
    "ArrowTable",
)
# Names for schemas that stand inside another one.
NAMES = {
    "PlanRequest.units": "Units",
    "PlanRequest.units.features": "Unit",
    "PlanRequest.units.features.geometry": "Outline",
    "PlanOption.survival": "UnitSurvival",
    "ComparisonResult.comparison": "MethodComparison",
    "ComparisonResult.comparison.manual": "ManualPredictions",
    "ComparisonResult.comparison.drone_seeded": "DroneSeededPredictions",
    "ComparisonResult.method_differential": "MethodDifference",
    "ComparisonResult.method_differential.interval": "DifferenceInterval",
    "Surface.survival": "SurfaceSurvival",
    "Surface.survival.manual": "ManualSurvival",
    "Surface.survival.drone_seeded": "DroneSeededSurvival",
    "Health.model": "HealthModel",
}


def types_of(document: dict[str, Any]) -> str:
    """The module for an OpenAPI document."""
    schemas = {name: schema for name, schema in document["components"]["schemas"].items() if name not in LEFT_OUT}
    # A service may serve other species than when the client was written.
    schemas["SpeciesCode"].pop("enum", None)
    _open(schemas)
    for path, name in NAMES.items():
        _schema_at(schemas, path)["title"] = name
    source = json.dumps({"openapi": document["openapi"], "components": {"schemas": schemas}})
    code = str(
        generate(
            source,
            input_file_type=InputFileType.OpenAPI,
            output_model_type=DataModelType.TypingTypedDict,
            target_python_version=PythonVersion.PY_311,
            enum_field_as_literal=LiteralType.All,
            collapse_root_models=True,
            use_schema_description=True,
            use_field_description=True,
            use_title_as_name=True,
            disable_timestamp=True,
            custom_file_header=HEADER,
            formatters=[Formatter.BUILTIN],
        )
    )
    request = schemas["PredictionRequest"]["properties"]
    names = {"PlantingMethod": schemas["PlantingMethod"]["enum"], "Include": request["include"]["items"]["enum"]}
    literals = [f"{name} = Literal[{', '.join(map(repr, values))}]" for name, values in names.items()]
    return "\n".join([code.rstrip(), "", "", *literals, ""])


def _schema_at(schemas: dict[str, Any], path: str) -> dict[str, Any]:
    """The schema of a field, or of the elements of an array."""
    first, *fields = path.split(".")
    schema: dict[str, Any] = schemas[first]
    for field in fields:
        schema = schema["properties"][field]
        schema = schema.get("items", schema)
    return schema


def _open(schema: object) -> None:
    """Lets objects have further fields, which a later service may send."""
    if isinstance(schema, dict):
        if schema.get("additionalProperties") is False:
            del schema["additionalProperties"]
        schema = list(schema.values())
    if isinstance(schema, list):
        for part in schema:
            _open(part)


if __name__ == "__main__":
    (source,) = sys.argv[1:]
    text = urlopen(source).read() if source.startswith("http") else Path(source).read_text()  # noqa: S310
    TARGET.write_text(types_of(json.loads(text)))
