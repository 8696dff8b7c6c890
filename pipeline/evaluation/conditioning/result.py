"""What conditioning gained for sources left out, whether its posterior may be served, and the files of both."""

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from pipeline.evaluation.conditioning.observations import LEVELS, Observations
from pipeline.evaluation.evidence.summary import FITS
from pipeline.outcomes.plantings import Plantings
from pipeline.outcomes.world import World, deviate_count
from pipeline.sources.manifest import SourceError, sha256_of

DIRECTORY = Path(__file__).parent
POSTERIOR, RESULT = DIRECTORY / "posterior.npy", DIRECTORY / "result.json"
CONVERGED = 1.2
"""Maximum of the potential scale reduction for chains to agree."""


class PosteriorError(SourceError):
    """The posterior is not the one of its result; the message says what differs."""


@dataclass(frozen=True)
class HeldOut:
    """A source that the chain did not see: mean log scores of its plantings, and values inside the 80 % intervals.

    `error` is half the difference between the gains of the two halves of the chain.
    """

    source: str
    plantings: int
    prior: float
    posterior: float
    error: float
    prior_inside: int
    posterior_inside: int
    compared: int

    @property
    def gain(self) -> float:
        """Log score of the posterior minus that of the prior, per planting."""
        return self.posterior - self.prior


@dataclass(frozen=True)
class Moved:
    """A deviate, with its posterior mean and SD (prior: 0 and 1), and the scale reduction of the chains."""

    name: str
    mean: float
    sd: float
    reduction: float


@dataclass(frozen=True)
class Result:
    """The run of `condition`: chains, held-out sources, the deviates that moved most, and what it was run on."""

    seed: int
    steps: int
    burn_in: int
    accepted: list[float]
    largest_reduction: float
    held_out: list[HeldOut]
    moved: list[Moved]
    posterior_sha256: str
    process_sha256: str
    plantings_sha256: str

    @property
    def losing(self) -> list[str]:
        """The held-out sources that the posterior predicts no better than the prior."""
        return [source.source for source in self.held_out if source.gain <= 0]

    @property
    def covers(self) -> bool:
        """Whether the share of values inside their intervals, averaged over the sources, is that of one that fits."""
        shares = [source.posterior_inside / source.compared for source in self.held_out if source.compared]
        return float(np.mean(shares)) >= FITS

    @property
    def has_converged(self) -> bool:
        """Whether the two chains agree on every deviate."""
        return self.largest_reduction < CONVERGED

    @property
    def may_be_served(self) -> bool:
        """Whether the chains agree, every held-out source gains and the intervals cover."""
        return self.has_converged and self.covers and not self.losing


def write_result(result: Result) -> None:
    """Write :data:`RESULT`."""
    RESULT.write_text(json.dumps(asdict(result), indent=1) + "\n", encoding="utf-8")


def read_result() -> Result | None:
    """Return the result; None if `condition` has never run, PosteriorError if the posterior is another."""
    if not RESULT.is_file():
        return None
    content = json.loads(RESULT.read_text(encoding="utf-8"))
    if sha256_of(POSTERIOR) != content["posterior_sha256"]:
        raise PosteriorError(f"{POSTERIOR}: does not have the SHA-256 of {RESULT.name}: run condition again")
    lists = {"held_out": HeldOut, "moved": Moved}
    return Result(
        **{
            name: [lists[name](**entry) for entry in value] if name in lists else value
            for name, value in content.items()
        }
    )


def process_sha256(worlds: Plantings) -> str:
    """Return a digest of the simulation: the hazard logits of plantings in the central world and in another."""
    logits = [worlds.logits(World.from_deviates(np.full(deviate_count(), value))) for value in (0.0, 0.3)]
    return hashlib.sha256(np.round(logits, 3).astype(np.float32).tobytes()).hexdigest()


def plantings_sha256(observations: Observations) -> str:
    """Return a digest of the counts, their environment and practice, and the offsets and units of their effects."""
    numbers = observations.table.select_dtypes("number").round(3).to_csv(index=False, float_format="%.3f")
    arrays = (observations.alive, observations.before, observations.since, observations.offset)
    units = "".join(f"{level}{observations.units[level].tolist()}" for level in LEVELS)
    content = numbers + units + "".join(str(array.astype(float).tolist()) for array in arrays)
    return hashlib.sha256(content.encode()).hexdigest()
