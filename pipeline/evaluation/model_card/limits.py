"""The section of the model card on limits."""

from pipeline.evaluation.model_card.text import with_marked
from pipeline.grid.points import SEARCH_RADIUS_KM
from pipeline.outcomes.seeds import SEEDS_PER_SPOT


def limits_section(*, simulated: bool) -> str:
    """State the limits of the models."""
    first = (
        "- They are trained on simulated outcomes. *Tested on planted trees* says what that allows."
        if simulated
        else "- They are fitted to the sites, species and years of the outcomes table; elsewhere they extrapolate."
    )
    # Between double square brackets: of the simulation, found in its models, or of intervals, which only these have.
    text = f"""## Limits

{first}
- Survival of `drone_seeded` counts spots, not seeds.[[ The published sample needs about {SEEDS_PER_SPOT:g} viable \
seeds a
  pod at natural rates (1.75 % of seeds emerge, 17 % of germinants live through year 1), many times what pods hold.]]
  Ask with `seeds_per_spot` what your own pods would do[[: of three seeds about 1 % of the spots are alive \
after year 1]].
- `seeds_per_spot` acts on the mean survival over sites that look alike, not at each site.[[ Averaged over the site
  effects of the simulation, 1.2 to 1.5 times as many spots of up to 100 seeds live, and fewer of many seeds: of 10,000
  at Medford 0.52 to year 5 instead of 0.94. The draws of the intervals are of single sites and have no such error. The
  simulation itself takes the seeds first and the site effects afterwards, which gives still more spots of few seeds.]]
- Without options a prediction is for the nearest grid point, up to {SEARCH_RADIUS_KM:g} km away, with its slope, soil
  and canopy. `elevation_m` moves elevation and climate to the site's own by the point's lapse rates, which hold
  for some hundreds of metres[[: farther, the interval is wider]]. `conditions` replace the grid's values with measured
  ones. The models were trained on the grid's values.
- Cold air lies in basins, so that the January minimum rises with height at 35 % of the points (42 % east of the crest),
  at 13 % by more than 2 C a kilometre. `elevation_m` goes on with this rise above the basin: 900 m above Chemult it
  gives -4.0 C, where points of the grid at that height have -7.8[[, and red alder 0.17 instead of 0.02 in year 5]]\
. For a
  site more than some 300 m above such a flat, ask for a point at its height instead.
- Beyond the climates of the training sites (`outside_training`), as under many scenarios, the models extrapolate. The
  maximum VPD goes on to act up to 30 hPa, the January minimum from -25 to 10 C and precipitation from 100 to 6,000 mm;
  the effect of any other feature beyond the 0.2 to the 99.8 percentile of the grid stays what it is there.
- A scenario moves a climate from place to place, not in time: seedlings are taken to come from seed of a climate like
  the new one, so a change within a few decades costs more than the models say.
- A scenario leaves elevation, and with it the zone of a species, as it is: where it is too high for a species today,
  warming brings little gain.
- Stock, season, browse protection and the year's weather are not inputs; predictions average over them[[, and intervals
  include them]]. Vegetation and overstory harm alike at every place, though shade helps on hot, dry and frosty \
ground and
  grass costs most where it is dry.
- Standing water, the water table, floods and poor drainage are not inputs.
- Elevation, dew point and precipitation are correlated over the region: part of the contribution of one may be due to
  another.
[[- Cold air on level ground is an interaction, which a sum of curves cannot represent: on frost flats the models are
  more optimistic than the simulation. They move part of what lodgepole pine gains in cold basins to moderate slopes and
  warmer or drier level ground.
- Where lodgepole pine leads, it mostly does so by little; on moist ground others overtop it later.
- Of diseases the simulation has those of foliage on wet and humid ground alone. White pine blister rust, the root
  disease of Port-Orford-cedar and insects are not in it.
]]- Forest zones lie lower to the north and higher east of the crest. No feature states either, so the models have the
  limits of a species' average stand, which are off by some hundreds of metres in the far north and south.
[[- All species have the same rates from seed to spot. Acorns and the large seeds of pines yield more seedlings than the
  models say, the seeds of hemlock, redcedar, alder and cottonwood fewer.
- Western juniper has a low vigor by choice, so that it leads only where hardly another species is native. So
  has lodgepole pine: more lived in British Columbia than predicted.
]]- Native ranges are drawn to kilometres (Little's maps). Trees that stand at their edges may count as not native, such
  as Sitka spruce in the upper Hoh valley, and are left out unless `native_only` is false.[[
- Found in pnw_v1_6, planted by hand, to year 5, on one point of the grid in seven:
  - East of the crest ponderosa pine leads too high up. Between 1,800 and 2,100 m it lies above Douglas-fir on 98 % and
    above grand fir on 96 % of the points where both are native, and it is the first of the native species on 56 % of
    its points above 1,500 m. Upward, the zones are those of ponderosa pine, Douglas-fir, grand fir and subalpine fir
    (Franklin and Dyrness 1973).
  - Sitka spruce does too well in the Willamette valley. Below 300 m it lies above western redcedar on every point (0.71
    and 0.63 on average) and above western hemlock on 99 %.
  - Black cottonwood leads away from rivers. It is the first of the native species on 13 % of the points west of 123.7 W
    and below 500 m, of which 48 % slope by more than 3 degrees.
  - Western redcedar lies below western hemlock on 97 % of the points where both are native, on 99 % of those in the
    Willamette valley. Underplanted near Corvallis, 0.78 to 0.96 of the redcedars lived for ten years, and 0.47 to 0.65
    of the hemlocks (Cole, Newton and Bailey).
  - Oregon ash does too poorly in wet bottoms. On flat ground of the Willamette valley below 300 m, Douglas-fir and red
    alder lie above it on every point. Red alder is the first of the native species on 44 % of all points of the valley
    below 300 m.
  - In the Blue Mountains below 1,200 m western larch lies below Douglas-fir on every point but one (0.48 and 0.57 on
    average).
  - In the Cascades above 1,500 m lodgepole pine is the first of the native species on 79 % of the points, and lies
    above Pacific silver fir on all but one (0.82 and 0.70 on average).
  - Below 300 m Pacific silver fir lies above western redcedar on 69 % of the points where both are native.
  - The effect of soil clay is noise: the error of the fitted one is as large as the true one (*Recovery of the true
    effects*). Do not measure clay for the sake of these predictions.]]
- A factor's contribution is relative to the average native training site of that species and method. It explains the
  model and does not predict the effect of changing the factor."""
    return with_marked(text, shown=simulated)
