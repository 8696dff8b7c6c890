"""What callers send, as pydantic models."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

HORIZONS = (1, 3, 5)


class PredictRequest(BaseModel):
    """Body of POST /v1/predict and entry of a batch; a number in quotes is not a number."""

    model_config = ConfigDict(strict=True)

    latitude: float = Field(ge=-90, le=90, allow_inf_nan=False)
    longitude: float = Field(ge=-180, le=180, allow_inf_nan=False)
    species_code: str
    # A method that is present but neither one, whatever its type, has an error code of its own.
    planting_method: Any
    horizons: Annotated[list[Literal[1, 3, 5]], Field(min_length=1)] = list(HORIZONS)


class BatchRequest(BaseModel):
    """Body of POST /v1/predict/batch of which every entry fits."""

    requests: list[PredictRequest]


class LooseBatchRequest(BaseModel):
    """The same where some entries may not fit: each is checked by itself."""

    requests: list[Any]
