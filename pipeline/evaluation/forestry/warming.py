"""What a changed climate does to survival, with a bound for each effect: year 5, planted by hand, native points."""

import numpy as np

from pipeline.evaluation.forestry.plausibility import SPREAD
from pipeline.evaluation.forestry.zones import Rule
from pipeline.evaluation.graph import GraphModel
from pipeline.grid.arrow_file import Grid
from pipeline.models.features import FEATURE_NAMES
from pipeline.models.scenario import changed_climate
from pipeline.outcomes.crest import west_of_crest
from pipeline.outcomes.intercepts import PUBLISHED_SITE, PUBLISHED_SPECIES
from pipeline.outcomes.species import species_codes

WARMING_C = 4.0
GAIN = 0.01


def warming_rules(grid: Grid, model: GraphModel) -> list[Rule]:
    """Return the rules with their values."""
    points = np.arange(0, len(grid.latitude), SPREAD)
    climates = [changed_climate(grid, points, warming) for warming in (0.0, WARMING_C)]
    elevation = grid.columns["elevation"][points]
    west = west_of_crest(grid.latitude[points], grid.longitude[points])
    changes, natives = [], []
    for index in range(len(species_codes())):
        today, warmer = (model.survival(features, np.full(len(points), index))[:, -1] for features in climates)
        changes.append(warmer - today)
        natives.append(grid.in_range(index)[points])

    def change(code: str, where: np.ndarray) -> float:
        index = species_codes().index(code)
        return float(changes[index][natives[index] & where].mean())

    rules = [
        Rule(f"+4 C: change of {code}, east below 1,000 m", change(code, ~west & (elevation < 1000)), -0.08)
        for code in ("PIPO", "PSME", "LAOC")
    ]
    rules += [
        Rule(f"+4 C: change of {code}, east less west", change(code, ~west) - change(code, west), 0.0)
        for code in ("PSME", "PIPO")
    ]
    gains = [
        float((each > GAIN)[native & (elevation < 1500)].mean()) if (native & (elevation < 1500)).any() else 0.0
        for each, native in zip(changes, natives, strict=True)
    ]
    most = int(np.argmax(gains))
    rules.append(
        Rule(f"+4 C: points with a gain over {GAIN}, below 1,500 m ({species_codes()[most]})", gains[most], 0.02)
    )
    return rules + _published_site_rules(grid, model)


def _published_site_rules(grid: Grid, model: GraphModel) -> list[Rule]:
    """Return the rules of single values, at the published site and species."""
    site = grid.features(FEATURE_NAMES)[grid.nearest(*PUBLISHED_SITE)]
    species = np.array([species_codes().index(PUBLISHED_SPECIES)])

    def survival(**values: float) -> float:
        features = site.copy()
        for name, value in values.items():
            features[FEATURE_NAMES.index(name)] = value
        return float(model.survival(features[None], species)[0, -1])

    today = survival()
    return [
        Rule("a maximum VPD of 25 hPa", survival(vpd_max=25.0), 0.5),
        Rule("a January minimum of -20 C: change", survival(temperature_min_january=-20.0) - today, -0.15),
        Rule("a January minimum of +6 C: loss", today - survival(temperature_min_january=6.0), 0.15),
    ]
