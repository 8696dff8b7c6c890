/** Kilometres from one row of the grid to the next: 30 arc-seconds of a meridian, on a sphere of radius 6371.0088 km. */
const ROW_KM = (6371.0088 * Math.PI) / 180 / 120;

/** Square cells of a lattice, in degrees, with an element for each point in every column. */
export class Cells {
  readonly stepDegrees: number;
  readonly #indexes = new Map<number, number>();

  constructor(
    readonly longitude: readonly number[],
    readonly latitude: readonly number[],
    /** Between neighbouring rows. */
    readonly spacingKm: number,
  ) {
    this.stepDegrees = Math.max(1, Math.round(spacingKm / ROW_KM)) / 120;
    for (let index = 0; index < longitude.length; index++)
      this.#indexes.set(this.#place(longitude[index], latitude[index]), index);
  }

  get count(): number {
    return this.longitude.length;
  }

  /** The index of the point whose cell holds a place. */
  at(longitude: number, latitude: number): number | undefined {
    return this.count === 0 ? undefined : this.#indexes.get(this.#place(longitude, latitude));
  }

  /** West, south, east and north of a cell. Neighbours have the same numbers for the edge that they share. */
  edgesOf(index: number): [number, number, number, number] {
    const column = this.#column(this.longitude[index]);
    const row = this.#row(this.latitude[index]);
    const west = (steps: number) => this.longitude[0] + (steps - 0.5) * this.stepDegrees;
    const south = (steps: number) => this.latitude[0] + (steps - 0.5) * this.stepDegrees;
    return [west(column), south(row), west(column + 1), south(row + 1)];
  }

  /** Row and column as one number. */
  #place(longitude: number, latitude: number): number {
    return this.#row(latitude) * 100_000 + this.#column(longitude);
  }

  /** Counted from the first point; coordinates are rounded to 5 decimals. */
  #row(latitude: number): number {
    return Math.round((latitude - this.latitude[0]) / this.stepDegrees);
  }

  #column(longitude: number): number {
    return Math.round((longitude - this.longitude[0]) / this.stepDegrees);
  }
}
