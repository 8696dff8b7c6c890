import type { Data, Dictionary, Int32, Utf8 } from 'apache-arrow';
import { matchedPlaces, type SharedGrid } from '../../prediction/artefacts/shared-grid.js';
import type { ErrorCode, ErrorObject } from '../../prediction/errors/api-error.js';
import type { RunOutcomes } from '../table/run-outcomes.js';
import { toLatin1 } from '../text/latin1.js';
import { type DictionaryColumn, NumberColumn, RepeatedTextColumn, type TextList } from './column-builders.js';
import type { HorizonColumns } from './horizon-columns.js';

/** The codes that a row's error may have. */
export const ROW_ERROR_CODES: readonly ErrorCode[] = [
  'invalid_request',
  'invalid_species',
  'invalid_method',
  'outside_coverage',
  'no_nearby_data',
  'elevation_mismatch',
];

const METRES_PER_KM = 1000;

/** Our columns of a part of a table, whose memory is used again for the next part. */
export class AnswerColumns {
  readonly #latitude: NumberColumn;
  readonly #longitude: NumberColumn;
  readonly #distance: NumberColumn;
  readonly #region: DictionaryColumn;
  readonly #code: DictionaryColumn;
  readonly #message: RepeatedTextColumn;
  /** Those that a row with an error leaves empty. */
  readonly #answered: readonly (NumberColumn | DictionaryColumn)[];

  /** @param capacity rows at most, also of `horizons` */
  constructor(
    readonly capacity: number,
    regions: TextList,
    private readonly horizons: readonly HorizonColumns[],
    codes: TextList,
    messages: Dictionary<Utf8, Int32>,
  ) {
    this.#latitude = new NumberColumn(capacity);
    this.#longitude = new NumberColumn(capacity);
    this.#distance = new NumberColumn(capacity);
    this.#region = regions.column(capacity);
    this.#code = codes.column(capacity);
    this.#message = new RepeatedTextColumn(capacity, messages);
    const places = [this.#latitude, this.#longitude, this.#distance, this.#region];
    this.#answered = [...places, ...horizons.flatMap(({ columns }) => columns)];
  }

  /** A job begins: the messages of another one are not known to its reader. */
  forgetMessages(): void {
    this.#message.forget();
  }

  /** The columns of `count` rows of a job, in their order; valid until the next call. */
  fill(
    { records, recordOf, methods, errors }: RunOutcomes,
    grid: SharedGrid,
    from: number,
    count: number,
  ): Data[] {
    const columns = [...this.#answered, this.#code, this.#message];
    for (const column of columns) column.begin(count);
    const points = new Int32Array(count);
    for (let row = 0; row < count; row++) {
      const record = recordOf[from + row];
      if (record === -1) this.#fillError(row, errors.get(from + row));
      else {
        this.#code.clear(row);
        this.#message.clear(row);
        points[row] = records.point(record);
        this.#distance.values[row] = records.distanceM(record) / METRES_PER_KM;
        for (const horizon of this.horizons) horizon.set(row, records, record, methods[from + row]);
      }
    }
    this.#fillPlaces(grid, points, recordOf.subarray(from, from + count));
    return columns.map((column) => column.data());
  }

  #fillError(row: number, error: ErrorObject | undefined): void {
    if (error === undefined) throw new Error('a row without record or error');
    for (const column of this.#answered) column.clear(row);
    this.#code.indexes[row] = ROW_ERROR_CODES.indexOf(error.code);
    this.#message.set(row, toLatin1(error.message));
  }

  #fillPlaces(grid: SharedGrid, points: Int32Array, recordOf: Int16Array): void {
    const { latitude, longitude, region } = matchedPlaces(grid, points);
    const { latitudes, longitudes } = grid.index;
    for (let row = 0; row < points.length; row++) {
      if (recordOf[row] === -1) continue;
      this.#latitude.values[row] = latitudes[latitude[row]];
      this.#longitude.values[row] = longitudes[longitude[row]];
      this.#region.indexes[row] = region[row];
    }
  }
}
