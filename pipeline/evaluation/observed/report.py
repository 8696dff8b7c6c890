"""The report of an evaluation: the same content as JSON and as Markdown."""

from pipeline.evaluation.model_card.text import markdown_table
from pipeline.evaluation.observed.groups import ECOREGIONS, block_label
from pipeline.evaluation.observed.measures import LEVEL, MIN_BLOCKS
from pipeline.outcomes.periods import HORIZONS, PERIOD_NAMES

FORMAT = "nurselog-evaluation/1"
NOT_ESTIMABLE = "not estimable"
NOT_HELD_OUT = "with all trees a period has a line, without those of one fold it has none (or the reverse)"
_COUNTS = ["trees", "dead", "alive", "lost"]
_SCORES = {
    "observed": ("observed", 3),
    "predicted": ("predicted", 3),
    "auc": ("AUC", 3),
    "brier": ("Brier", 4),
    "calibration_intercept": ("intercept", 2),
    "calibration_slope": ("slope", 2),
    "expected_calibration_error": ("ECE", 3),
}


def markdown(report: dict) -> str:
    """Return the report as Markdown."""
    models, outcomes = report["models"], report["outcomes"]
    parts = [
        f"# Evaluation of {models['version']} on {outcomes['file']}",
        "`python -m pipeline evaluate` writes this file; `docs/outcomes.md` explains it.",
        "\n".join(f"- {note}" for note in report["notes"]),
        "## All trees",
        _table(report, "all"),
        "![Calibration](calibration.png)",
        _explanation(report),
        "## By species",
        _table(report, "species"),
        "## By ecoregion",
        _table(report, "ecoregion"),
        "## By one-degree block",
        f"Year {HORIZONS[-1]}; blocks are named by their south-west corner. The other years are in `report.json`.",
        _blocks(report),
        "## Recalibration",
        *_recalibration(report),
    ]
    return "\n\n".join(parts) + "\n"


def _explanation(report: dict) -> str:
    replicates = report["bootstrap"]["replicates"]
    intervals = (
        f"""In brackets: {LEVEL:.0%} intervals from {replicates} bootstrap samples of one-degree blocks. There are none
where fewer than {MIN_BLOCKS} blocks were followed to that year, and none for the ECE, which resampling biases upwards.
Bars in the plot are such intervals."""
        if replicates
        else "There are no intervals: the evaluation was asked for none (`--replicates 0`)."
    )
    return f"""Dead, alive, lost: known to be dead by that year, known to be alive then, of unknown status. Observed
is Kaplan and Meier's estimate of survival, predicted the mean prediction. The intercept is in logits of survival, with
a slope of 1: above 0, more trees live than predicted. A slope below 1 means that predictions are too extreme. ECE is
the expected calibration error over ten bins.

{intervals}"""


def _table(report: dict, group: str) -> str:
    shown = [entry for entry in report["scores"] if entry["group"] == group]
    named = group != "all"
    header = ["method", *([group] if named else []), "year", *_COUNTS, *(title for title, _ in _SCORES.values())]
    rows = [
        [
            entry["planting_method"],
            *([_name(group, entry["value"])] if named else []),
            str(entry["horizon_years"]),
            *(f"{entry[count]:,}" for count in _COUNTS),
            *(_cell(entry, name, decimals) for name, (_, decimals) in _SCORES.items()),
        ]
        for entry in shown
    ]
    reasons = dict.fromkeys(reason for entry in shown for reason in entry["not_estimable"].values())
    table = markdown_table(header, rows)
    return table + (f"\n\n{NOT_ESTIMABLE.capitalize()}: {'; '.join(reasons)}." if reasons else "")


def _blocks(report: dict) -> str:
    shown = [
        entry for entry in report["scores"] if entry["group"] == "block" and entry["horizon_years"] == HORIZONS[-1]
    ]
    names = ("observed", "predicted", "auc", "brier")
    rows = [
        [
            entry["planting_method"],
            block_label(entry["value"]),
            *(f"{entry[count]:,}" for count in _COUNTS),
            *(_cell(entry, name, _SCORES[name][1]) for name in names),
        ]
        for entry in shown
    ]
    return markdown_table(["method", "block", *_COUNTS, *(_SCORES[name][0] for name in names)], rows)


def _recalibration(report: dict) -> list[str]:
    recalibration = report["recalibration"]
    header = ["method", "period", "at risk", "died", "intercept", "slope", "unchanged because"]
    rows = [
        [
            method,
            PERIOD_NAMES[HORIZONS.index(entry["horizon_years"])],
            f"{entry['at_risk']:,.0f}",
            f"{entry['died']:,.0f}",
            _with_interval(entry, "intercept"),
            _with_interval(entry, "slope"),
            entry["unchanged_because"] or "",
        ]
        for method, entries in recalibration["methods"].items()
        for entry in entries
    ]
    pairs = list(zip(recalibration["scores_before"], recalibration["scores"], strict=True))
    scores = [
        [
            after["planting_method"],
            str(after["horizon_years"]),
            *(
                f"{_number(before[name], _SCORES[name][1])} / {_number(after[name], _SCORES[name][1])}"
                for name in ("auc", "brier", "calibration_slope", "expected_calibration_error")
            ),
        ]
        for before, after in pairs
    ]
    lost = any(before["brier"] is not None and after["brier"] is None for before, after in pairs)
    return [
        "A line on the logit of the hazard of each period, in `recalibration.json`, which `python -m pipeline\n"
        "recalibrate` applies. An intercept above 0 means that more trees die than predicted.",
        markdown_table(header, rows),
        "Scores before / after, each fold of blocks recalibrated by lines that were fitted without it. If they do not\n"
        "improve, do not apply the recalibration:",
        markdown_table(["method", "year", "AUC", "Brier", "slope", "ECE"], scores),
        *([f"{NOT_ESTIMABLE.capitalize()} after recalibration: {NOT_HELD_OUT}."] if lost else []),
    ]


def _name(group: str, value) -> str:
    return f"{value} {ECOREGIONS.get(value, '')}".strip() if group == "ecoregion" else str(value)


def _cell(entry: dict, name: str, decimals: int) -> str:
    found = entry.get(name)
    if found is None:
        return NOT_ESTIMABLE
    interval = f" ({found['low']:.{decimals}f} to {found['high']:.{decimals}f})" if "low" in found else ""
    return f"{found['value']:.{decimals}f}{interval}"


def _with_interval(entry: dict, name: str) -> str:
    interval = f" ({entry[f'{name}_low']:.2f} to {entry[f'{name}_high']:.2f})" if f"{name}_low" in entry else ""
    return f"{entry[name]:.2f}{interval}"


def _number(value: float | None, decimals: int) -> str:
    return NOT_ESTIMABLE if value is None else f"{value:.{decimals}f}"
