"""Predicts for checked requests, vectorised over a batch, and creates the objects of the answers."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pyarrow as pa

from matching import SiteMatcher
from schemas import PredictRequest
from survival import SurvivalModels, rounded

# The service's default.
SEARCH_RADIUS_KM = 5.0


def _values(grid, feature):
    """A feature at each point: a column of integers with a scale and an offset, or the default of practice."""
    if "default" in feature:
        return np.full(grid.num_rows, feature["default"])
    name = feature["name"]
    metadata = grid.schema.field(name).metadata
    return float(metadata[b"offset"]) + float(metadata[b"scale"]) * grid[name].to_numpy()


class Predictor:
    """Answers requests from the grid, regions and species of a data directory and the models of a model directory."""

    def __init__(self, data_dir: Path, model_dir: Path):
        self._models = SurvivalModels(model_dir)
        manifest = self._models.manifest
        self._model = {name: manifest[name] for name in ("version", "codename", "series")}
        self._labels = [feature["label"] for feature in manifest["features"]]
        self._species = {code: index for index, code in enumerate(manifest["species"])}
        self._methods = {method: index for index, method in enumerate(self._models.methods)}
        species = json.loads((data_dir / "species.json").read_text(encoding="utf-8"))
        self._common_names = {one["species_code"]: one["common_name"] for one in species}

        with pa.memory_map(str(data_dir / "grid.arrow")) as source:
            grid = pa.ipc.open_file(source).read_all()
            lattice = json.loads(grid.schema.metadata[b"lattice"])
            self._latitude, self._longitude = (
                rounded(lattice[start] + (grid[name].to_numpy() + 0.5) / lattice["steps_per_degree"], 5)
                for start, name in (("south", "row"), ("west", "column"))
            )
            regions = json.loads(grid.schema.metadata[b"regions"])
            self._region = [regions[index] for index in grid["region"].to_pylist()]
            columns = [_values(grid, feature) for feature in manifest["features"]]
        self._features = np.column_stack(columns).astype(np.float32)
        self._matcher = SiteMatcher(self._latitude, self._longitude, data_dir / "regions.geojson")

    def predict(self, requests: Sequence[PredictRequest]) -> list[dict]:
        """For each request a prediction result, or ``{"error": ...}`` with the place as submitted."""
        if not requests:
            return []
        places = np.array([(request.latitude, request.longitude) for request in requests])
        species = np.array([self._species.get(request.species_code, -1) for request in requests])
        method = np.array([self._method_index(request.planting_method) for request in requests])
        matches = self._matcher.match(places)
        near = matches.distance_km <= SEARCH_RADIUS_KM

        answered = np.flatnonzero((species >= 0) & (method >= 0) & matches.covered & near)
        point = matches.point[answered]
        survival = self._models.predict(self._features[point], species[answered], method[answered])
        predictions = self._predictions(survival)
        generated_at = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        results = [None] * len(requests)
        for row, at, matched_latitude, matched_longitude, distance_km, by_horizon in zip(
            answered.tolist(),
            point.tolist(),
            rounded(self._latitude[point], 5).tolist(),
            rounded(self._longitude[point], 5).tolist(),
            rounded(matches.distance_km[answered], 3).tolist(),
            predictions,
            strict=True,
        ):
            request = requests[row]
            results[row] = {
                "site": {
                    "latitude": request.latitude,
                    "longitude": request.longitude,
                    "matched_latitude": matched_latitude,
                    "matched_longitude": matched_longitude,
                    "match_distance_km": distance_km,
                    "region": self._region[at],
                },
                "species_code": request.species_code,
                "species_common_name": self._common_names[request.species_code],
                "planting_method": request.planting_method,
                "predictions": [one for one in by_horizon if one["horizon_years"] in request.horizons],
                "model": self._model,
                "generated_at": generated_at,
            }
        for row in np.flatnonzero([result is None for result in results]).tolist():
            request = requests[row]
            error = self._error(request, species[row], method[row], matches.covered[row])
            results[row] = {"error": error, "latitude": request.latitude, "longitude": request.longitude}
        return results

    def _method_index(self, method):
        return self._methods.get(method, -1) if isinstance(method, str) else -1

    def _predictions(self, survival):
        labels = self._labels
        return [
            [
                {
                    "horizon_years": years,
                    "survival_probability": probability,
                    "risk_factors": [
                        {
                            "factor": labels[factor],
                            "impact": "positive" if positive else "negative",
                            "magnitude": magnitude,
                        }
                        for factor, positive, magnitude in zip(*factors, strict=True)
                    ],
                }
                for years, probability, *factors in zip(self._models.horizons, *of_site, strict=True)
            ]
            for of_site in zip(
                survival.probability.tolist(),
                survival.factor.tolist(),
                survival.positive.tolist(),
                survival.magnitude.tolist(),
                strict=True,
            )
        ]

    def _error(self, request, species, method, covered):
        if species < 0:
            return {
                "code": "invalid_species",
                "message": f'species_code "{request.species_code}" is not a known species code.',
                "details": {"suggestion": "GET /v1/species lists the species codes."},
            }
        if method < 0:
            methods = " or ".join(f'"{one}"' for one in self._methods)
            return {"code": "invalid_method", "message": f"planting_method must be {methods}."}
        place = f"latitude {request.latitude}, longitude {request.longitude}"
        if not covered:
            return {
                "code": "outside_coverage",
                "message": f"{place} is outside the coverage.",
                "details": {"suggestion": "GET /v1/coverage lists the regions and their bounds."},
            }
        return {
            "code": "no_nearby_data",
            "message": f"No data point lies within {SEARCH_RADIUS_KM:g} km of {place}.",
            "details": {"search_radius_km": SEARCH_RADIUS_KM},
        }
