/** How a format of text writes the values of a row. */
export interface TextFormat {
  /** What comes before the value of a column. @param index of the column among those that are written */
  before(name: string, index: number): string;
  /** A text as a value. */
  quote(text: string): string;
  /** The value of a column that has none. */
  readonly nothing: string;
  /** What comes after the last value of a row. */
  readonly after: string;
}

const TO_QUOTE = /[",\r\n]/;

/** A cell of CSV (RFC 4180): quoted where it must be. */
export function csvCell(text: string): string {
  return TO_QUOTE.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function csvFormat(lineEnd: '\n' | '\r\n'): TextFormat {
  return {
    before: (_name, index) => (index === 0 ? '' : ','),
    quote: csvCell,
    nothing: '',
    after: lineEnd,
  };
}

const JSON_VALUES = { quote: JSON.stringify, nothing: 'null' };

/** One object per line. The caller writes its opening `{`. */
export const NDJSON: TextFormat = {
  ...JSON_VALUES,
  before: (name, index) => `${index === 0 ? '' : ','}${JSON.stringify(name)}:`,
  after: '}\n',
};

/** Features of GeoJSON (RFC 7946), each followed by a comma: two coordinates, and then properties. */
export const GEOJSON_FEATURES: TextFormat = {
  ...JSON_VALUES,
  before: (name, index) => {
    if (index === 0) return '{"type":"Feature","geometry":{"type":"Point","coordinates":[';
    if (index === 1) return ',';
    return `${index === 2 ? ']},"properties":{' : ','}${JSON.stringify(name)}:`;
  },
  after: '}},',
};

/** The elements of an array of JSON, each followed by a comma. */
export const JSON_ELEMENTS: TextFormat = { ...JSON_VALUES, before: () => '', after: ',' };

/*
 * Uploaded text is read and written as latin1: every character is a byte of its UTF-8, and commas, quotes and line ends
 * are where they are in the text.
 */

export function toLatin1(text: string): string {
  return Buffer.from(text).toString('latin1');
}

export function fromLatin1(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString();
}
