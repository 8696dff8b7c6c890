"""The peer of the bench: nurselog's predictions in idiomatic Python.

It has no keys, quotas, metrics or queue, which is an advantage in the comparison. The work runs on the event loop:
with a process per core, a thread pool would only add context switches.
"""

import gc
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import orjson
from fastapi import FastAPI, Request, Response
from pydantic import ValidationError

from predictor import Predictor
from schemas import BatchRequest, LooseBatchRequest, PredictRequest

_GC_THRESHOLD = 50_000


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    """Reads the grid and the models from the folders in DATA_DIR and MODEL_DIR."""
    app.state.predictor = Predictor(Path(os.environ["DATA_DIR"]), Path(os.environ["MODEL_DIR"]))
    # The response to a batch has about 10,000 objects and no cycle. At Python's default threshold, garbage collections
    # find nothing and take as long as the rest.
    gc.freeze()
    gc.set_threshold(_GC_THRESHOLD)
    yield


app = FastAPI(lifespan=lifespan)


def _json(value, status=200):
    return Response(orjson.dumps(value), status, media_type="application/json")


def _invalid_request(error):
    issues = [{"path": ".".join(map(str, one["loc"])), "message": one["msg"]} for one in error.errors()]
    message = "; ".join(f"{issue['path']}: {issue['message']}" for issue in issues)
    return {
        "code": "invalid_request",
        "message": f"The request is not valid: {message}.",
        "details": {"issues": issues},
    }


@app.exception_handler(ValidationError)
async def answer_invalid_request(_request: Request, error: ValidationError) -> Response:
    """Answers a body that does not have the shape of its endpoint."""
    return _json({"error": _invalid_request(error)}, 422)


@app.post("/v1/predict")
async def predict(request: Request) -> Response:
    """Prediction for one site, species and method."""
    # Directly from the bytes: FastAPI's own way, the json module and then pydantic, takes longer.
    entry = PredictRequest.model_validate_json(await request.body())
    [result] = request.app.state.predictor.predict([entry])
    return _json({"error": result["error"]}, 422) if "error" in result else _json(result)


@app.post("/v1/predict/batch")
async def predict_batch(request: Request) -> Response:
    """Predictions for many sites; an entry that fails has an error at its position."""
    body = await request.body()
    predictor = request.app.state.predictor
    try:
        results = predictor.predict(BatchRequest.model_validate_json(body).requests)
    except ValidationError:
        results = _predict_each_that_fits(predictor, LooseBatchRequest.model_validate_json(body).requests)
    failed = sum("error" in result for result in results)
    return _json(
        {"results": results, "summary": {"total": len(results), "successful": len(results) - failed, "failed": failed}}
    )


def _predict_each_that_fits(predictor, entries):
    checked = [_checked(entry) for entry in entries]
    answers = iter(predictor.predict([entry for entry in checked if isinstance(entry, PredictRequest)]))
    return [next(answers) if isinstance(entry, PredictRequest) else entry for entry in checked]


def _checked(entry):
    """The entry as its model, or the failed element of the response."""
    try:
        return PredictRequest.model_validate(entry)
    except ValidationError as error:
        fields = entry if isinstance(entry, dict) else {}
        place = {name: _number_or_none(fields.get(name)) for name in ("latitude", "longitude")}
        return {"error": _invalid_request(error), **place}


def _number_or_none(value):
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None
