import type { ServedModel } from '../api/types.js';
import { dateText } from '../page/format.js';

/** How to cite the figures, what they are made from, and what they leave out. */
export function SourcesSection({ model }: { model: ServedModel }) {
  return (
    <>
      <h3>How to cite</h3>
      <p>
        nurselog, model {model.version}, digest {model.digest.slice(0, 12)}, {model.outcomes} outcomes, read
        on {dateText()}.
      </p>
      <h3>What they are made from</h3>
      <ul>
        <li>
          Climate: normals of 1991–2020 at the plots of the Forest Inventory and Analysis programme (PRISM
          Climate Group, Oregon State University), moved to each cell by its terrain.
        </li>
        <li>Soil: STATSGO by basin and hydrologic unit, interpolated; the models have no finer soil data.</li>
        <li>Terrain: Viewfinder Panoramas, based on SRTM and USGS data.</li>
        <li>Forest: Forest Inventory and Analysis, land cover of MODIS, ecoregions of the EPA.</li>
        <li>Native ranges: Little 1971.</li>
      </ul>
      <h3>After a fire</h3>
      <p>
        The models have no feature of a burn or of its severity. State an open burn as practice: overstory
        cover 0, and vegetation control as planned. The only available table of trees planted after a fire is
        of sugar pines at the King Fire, California: if the model was tested on it, it is in the evidence
        above.
      </p>
      <h3>What they leave out</h3>
      <ul>
        <li>
          Seed zones: choose seed with the{' '}
          <a href="https://seedlotselectiontool.org/" rel="noreferrer" target="_blank">
            Seedlot Selection Tool
          </a>
          .
        </li>
        <li>Stock types, planting windows and the weather of a year: intervals include their spread.</li>
        <li>Browsing, and protection from it.</li>
      </ul>
    </>
  );
}
