import { strToU8, zipSync } from 'fflate';
import type { Value } from './plan-export.js';
import { escaped } from './xml-text.js';

export interface Sheet {
  readonly name: string;
  readonly rows: readonly (readonly Value[])[];
  /** Whether the first row is a heading that stays in view. */
  readonly hasHeader?: boolean;
}

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
/** The longest text of a cell in Excel. */
const MAX_TEXT = 32_767;

/**
 * A workbook (ECMA-376, SpreadsheetML) with the minimum that Excel, LibreOffice and R read. A text that begins with =
 * stays a text and is not a formula. It is written here because libraries compress in workers from blobs, which the
 * content security policy forbids.
 */
export function xlsxFile(sheets: readonly Sheet[]): Uint8Array<ArrayBuffer> {
  const indexes = sheets.map((_, index) => index + 1);
  const type = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
  const parts: Record<string, string> = {
    '[Content_Types].xml': `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${type}.sheet.main+xml"/>${indexes
      .map((id) => `<Override PartName="/xl/worksheets/sheet${id}.xml" ContentType="${type}.worksheet+xml"/>`)
      .join('')}</Types>`,
    '_rels/.rels': `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    'xl/workbook.xml': `<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}"><sheets>${sheets
      .map(
        ({ name }, index) => `<sheet name="${escaped(name)}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`,
      )
      .join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${PACKAGE}/relationships">${indexes
      .map(
        (id) =>
          `<Relationship Id="rId${id}" Type="${RELATIONS}/worksheet" Target="worksheets/sheet${id}.xml"/>`,
      )
      .join('')}</Relationships>`,
    ...Object.fromEntries(
      sheets.map((sheet, index) => [`xl/worksheets/sheet${index + 1}.xml`, sheetXml(sheet)]),
    ),
  };
  const files = Object.entries(parts).map(([name, xml]) => [name, strToU8(DECLARATION + xml)] as const);
  return zipSync(Object.fromEntries(files)) as Uint8Array<ArrayBuffer>;
}

function sheetXml({ rows, hasHeader = false }: Sheet): string {
  const pane = hasHeader ? '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>' : '';
  const body = rows
    .map((row, index) => `<row r="${index + 1}">${row.map(cellXml).join('')}</row>`) // GDAL needs its number
    .join('');
  return `<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0">${pane}</sheetView></sheetViews><sheetData>${body}</sheetData></worksheet>`;
}

function cellXml(value: Value): string {
  if (value === null) return '<c/>';
  if (typeof value === 'boolean') return `<c t="b"><v>${Number(value)}</v></c>`;
  if (typeof value === 'number' && Number.isFinite(value)) return `<c><v>${value}</v></c>`;
  const text = escaped(String(value).slice(0, MAX_TEXT));
  return `<c t="inlineStr"><is><t xml:space="preserve">${text}</t></is></c>`;
}
