"""``python -m pipeline condition``: conditions the simulation on real plantings, and scores it held out."""

from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from pipeline.evaluation.conditioning.chain import Chain, run_chain
from pipeline.evaluation.conditioning.held_out import Prediction, inside, predict
from pipeline.evaluation.conditioning.observations import Observations, read_observations
from pipeline.evaluation.conditioning.result import (
    POSTERIOR,
    HeldOut,
    Moved,
    Result,
    plantings_sha256,
    process_sha256,
    write_result,
)
from pipeline.evaluation.conditioning.section import section_of
from pipeline.evaluation.evidence.plantings import read_plantings
from pipeline.grid.arrow_file import read_grid
from pipeline.grid.data_files import GRID
from pipeline.outcomes.plantings import Plantings
from pipeline.outcomes.world import deviate_count, deviate_names
from pipeline.sources.manifest import sha256_of

SEED = 20261124
BURN_IN = 2_000
DRAWS = 200
MOVED = 12


def run(steps: int, held_out_steps: int) -> None:
    """Write posterior.npy and result.json of `pipeline/evaluation/conditioning`, and print the section on them."""
    grid = read_grid(GRID)
    with threadpool_limits(limits=1):
        observations = read_observations(grid, read_plantings())
        worlds = Plantings(grid, observations.table)
        everything = np.ones(len(observations.plantings), dtype=bool)
        chains = [
            run_chain(worlds, observations, everything, steps, BURN_IN, max(2 * steps // DRAWS, 1), SEED + number)
            for number in tqdm(range(2), desc="chains")
        ]
        prior_draws = draws_of_prior()
        prior = predict(worlds, observations, prior_draws, SEED)
        held_out = [
            held_out_source(worlds, observations, prior, source, held_out_steps, start)
            for source, start in zip(tqdm(observations.sources, desc="sources left out"), prior_draws, strict=False)
        ]
    draws = np.concatenate([chain.deviates for chain in chains]).astype(np.float32)
    np.save(POSTERIOR, draws)
    moved = moved_deviates(chains)
    result = Result(
        seed=SEED,
        steps=steps,
        burn_in=BURN_IN,
        accepted=[round(chain.accepted, 3) for chain in chains],
        largest_reduction=round(max(deviate.reduction for deviate in moved), 3),
        held_out=held_out,
        moved=sorted(moved, key=lambda deviate: -abs(deviate.mean))[:MOVED],
        posterior_sha256=sha256_of(Path(POSTERIOR)),
        process_sha256=process_sha256(worlds),
        plantings_sha256=plantings_sha256(observations),
    )
    write_result(result)
    print(section_of(result, is_stale=False))


def draws_of_prior() -> np.ndarray:
    """Return draws of the prior [2 * DRAWS, deviates], of which one starts the chain without each source."""
    return np.random.default_rng(SEED).standard_normal((2 * DRAWS, deviate_count()))


def held_out_source(
    worlds: Plantings, observations: Observations, prior: Prediction, source: str, steps: int, start: np.ndarray
) -> HeldOut:
    """Return how the posterior of the other sources predicts a source.

    The chain starts at the deviates `start`, which must not come from a chain that has seen the source: some deviates
    move little in thousands of steps.
    """
    mine = observations.of_source(source)
    seed = SEED + 100 + observations.sources.index(source)
    chain = run_chain(worlds, observations, ~mine, steps, BURN_IN, max(steps // DRAWS, 1), seed, start)
    whole = predict(worlds, observations, chain.deviates, SEED)
    middle = len(chain.deviates) // 2
    halves = whole.score(mine, slice(middle)) - whole.score(mine, slice(middle, None))
    compared = inside(observations, prior, mine)[1]
    return HeldOut(
        source,
        int(mine.sum()),
        round(prior.score(mine), 3),
        round(whole.score(mine), 3),
        round(abs(halves) / 2, 3),
        inside(observations, prior, mine)[0],
        inside(observations, whole, mine)[0],
        compared,
    )


def moved_deviates(chains: list[Chain]) -> list[Moved]:
    """Return every free deviate with its posterior mean, SD and scale reduction (Gelman and Rubin 1992)."""
    draws = np.stack([chain.deviates for chain in chains])
    within = draws.var(axis=1, ddof=1).mean(axis=0)
    between = draws.mean(axis=1).var(axis=0, ddof=1)
    # Deviates that the chain holds at 0 do not vary.
    free = within > 0
    length = draws.shape[1]
    reduction = np.sqrt((length - 1) / length + between / np.where(free, within, 1.0))
    mean, sd = draws.mean(axis=(0, 1)), draws.std(axis=(0, 1))
    return [
        Moved(name, round(float(mean[i]), 3), round(float(sd[i]), 3), round(float(reduction[i]), 3))
        for i, name in enumerate(deviate_names())
        if free[i]
    ]
