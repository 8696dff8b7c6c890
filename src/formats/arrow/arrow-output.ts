import { type Data, Dictionary, Field, Int32, Schema, Utf8, Vector } from 'apache-arrow';
import { modelOf } from '../../prediction/artefacts/manifest.js';
import type { PredictorData } from '../../prediction/predictor-data.js';
import { ERROR_COLUMNS, type PredictedRows, tableColumns, textListsOf } from '../table/output-columns.js';
import type { TableChunk, TableRequest } from '../table/table-request.js';
import type { RowErrors, TableOutput, TableSource } from '../table/table-source.js';
import { toLatin1 } from '../text/text-formats.js';
import { ColumnBuilder, textColumn } from './column-builder.js';
import { END_OF_STREAM, OutputTypes, writeStream } from './stream-writer.js';

const NO_MESSAGES = new Vector([textColumn([])]);
const ERROR_CODE = { type: 'text', texts: 'codes' } as const;

/**
 * Writes the answer to a table as an Arrow stream: a chunk is a record batch. The dictionaries precede the first; that of the
 * messages precedes each batch that has any.
 */
export function arrowOutput(
  source: TableSource,
  { manifest, grid }: PredictorData,
  { horizons, intervals }: TableRequest,
): TableOutput {
  const { fields: uploaded, metadata } = source.arrowSchema;
  const used = new Set(uploaded.map(({ type }) => (type instanceof Dictionary ? type.id : -1)));
  let id = 0;
  while ([0, 1, 2, 3].some((n) => used.has(id + n))) id++;
  const lists = textListsOf({ grid, manifest });
  const types = new OutputTypes(lists, { regions: id, factors: id + 1, codes: id + 2 });
  const messageType = new Dictionary(new Utf8(), new Int32(), id + 3);
  const columns = tableColumns(horizons, intervals);
  const ours = columns.map((column) => new Field(column.name, types.typeOf(column), true));
  const [code, message] = ERROR_COLUMNS;
  const errorFields = [
    new Field(code, types.typeOf(ERROR_CODE), true),
    new Field(message, messageType, true),
  ];
  const model = JSON.stringify({ ...modelOf(manifest), outcomes: manifest.outcomes });
  const schema = new Schema([...uploaded, ...ours, ...errorFields], new Map([...metadata, ['model', model]]));

  const dictionariesBefore = (chunk: TableChunk) =>
    new Map([
      ...(source.dictionariesBefore?.(chunk) ?? []),
      ...types.dictionaries,
      [messageType.id, NO_MESSAGES],
    ]);

  const ourColumns = (predicted: PredictedRows, errors: RowErrors, count: number): Data[] => {
    const builders = columns.map((column) => types.read(column, predicted, count));
    const code = types.builder(ERROR_CODE, count);
    const message = new ColumnBuilder(messageType, count);
    const messages = new Map<string, number>();
    for (let row = 0; row < count; row++) {
      const error = errors.get(row);
      if (error === undefined) {
        code.clear(row);
        message.clear(row);
      } else {
        for (const builder of builders) builder.clear(row);
        code.values[row] = lists.codes.indexOf(error.code);
        const index = messages.get(error.message) ?? messages.size;
        messages.set(error.message, index);
        message.values[row] = index;
      }
    }
    const texts =
      messages.size > 0 ? new Vector([textColumn([...messages.keys()].map(toLatin1))]) : NO_MESSAGES;
    return [...builders.map((builder) => builder.data()), code.data(), message.data(texts)];
  };

  return {
    head: writeStream(schema),
    encode(rows, predicted, errors) {
      const { chunk } = rows;
      const batch = [...rows.arrowColumns(), ...ourColumns(predicted, errors, chunk.count)];
      const sent = chunk.from > 0 ? dictionariesBefore(chunk) : new Map();
      return { bytes: writeStream(schema, batch, sent), rowCount: chunk.count };
    },
    tail: END_OF_STREAM,
  };
}
