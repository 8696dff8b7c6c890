"""Request bodies as pydantic models."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

HORIZONS = (1, 3, 5)


class PredictRequest(BaseModel):
    """Body of POST /v1/predict and entry of a batch; a number in quotes is rejected."""

    model_config = ConfigDict(strict=True)

    latitude: float = Field(ge=-90, le=90, allow_inf_nan=False)
    longitude: float = Field(ge=-180, le=180, allow_inf_nan=False)
    species_code: str
    # An unknown method, whatever its type, has its own error code.
    planting_method: Any
    horizons: Annotated[list[Literal[1, 3, 5]], Field(min_length=1)] = list(HORIZONS)


class BatchRequest(BaseModel):
    """Body of POST /v1/predict/batch with valid entries only."""

    requests: list[PredictRequest]


class LooseBatchRequest(BaseModel):
    """The same if some entries may be invalid: each is checked separately."""

    requests: list[Any]
