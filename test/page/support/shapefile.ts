import { crc32 } from 'node:zlib';

const WGS_84 =
  'GEOGCS["GCS_WGS_1984",DATUM["D_WGS_1984",SPHEROID["WGS_1984",6378137.0,298.257223563]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]]';

export const NAD_27 =
  'GEOGCS["GCS_North_American_1927",DATUM["D_North_American_1927",SPHEROID["Clarke_1866",6378206.4,294.9786982]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]]';

/** As ESRI writes it. */
export const UTM_10 =
  'PROJCS["NAD_1983_UTM_Zone_10N",GEOGCS["GCS_North_American_1983",DATUM["D_North_American_1983",SPHEROID["GRS_1980",6378137.0,298.257222101]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]],PROJECTION["Transverse_Mercator"],PARAMETER["False_Easting",500000.0],PARAMETER["False_Northing",0.0],PARAMETER["Central_Meridian",-123.0],PARAMETER["Scale_Factor",0.9996],PARAMETER["Latitude_Of_Origin",0.0],UNIT["Meter",1.0]]';

/** A zipped shapefile of one polygon with a name, as a GIS writes it (ESRI Shapefile Technical Description, 1998). */
export function zippedShapefile(
  name: string,
  ring: readonly (readonly [number, number])[],
  projection = WGS_84,
  more: Readonly<Record<string, Buffer | Deflated>> = {},
): Buffer {
  const parts = { 'units.shp': shp(ring), 'units.dbf': dbf(name), 'units.prj': Buffer.from(projection) };
  return zip({ ...parts, ...more });
}

/** An entry that is compressed. */
export interface Deflated {
  readonly deflated: Buffer;
  /** What the zip states for its size. */
  readonly statedBytes: number;
}

/** @param ring closed, clockwise */
function shp(ring: readonly (readonly [number, number])[]): Buffer {
  const [longitudes, latitudes] = [ring.map(([each]) => each), ring.map(([, each]) => each)];
  const box = [
    Math.min(...longitudes),
    Math.min(...latitudes),
    Math.max(...longitudes),
    Math.max(...latitudes),
  ];
  const content = Buffer.alloc(48 + 16 * ring.length);
  content.writeInt32LE(5, 0); // polygon
  box.forEach((value, index) => void content.writeDoubleLE(value, 4 + 8 * index));
  content.writeInt32LE(1, 36); // parts
  content.writeInt32LE(ring.length, 40);
  content.writeInt32LE(0, 44);
  ring.forEach(([longitude, latitude], index) => {
    content.writeDoubleLE(longitude, 48 + 16 * index);
    content.writeDoubleLE(latitude, 56 + 16 * index);
  });
  const record = Buffer.alloc(8);
  record.writeInt32BE(1, 0);
  record.writeInt32BE(content.length / 2, 4);
  const header = Buffer.alloc(100);
  header.writeInt32BE(9994, 0);
  header.writeInt32BE((100 + 8 + content.length) / 2, 24);
  header.writeInt32LE(1000, 28);
  header.writeInt32LE(5, 32);
  box.forEach((value, index) => void header.writeDoubleLE(value, 36 + 8 * index));
  return Buffer.concat([header, record, content]);
}

/**
 * A dBASE III table of one row with one column.
 * @param type C for text, N for a number, D for a date, L for a logical
 * @param mark an asterisk if the row is deleted
 * @param end what ends the header; old dBASE and FoxPro write zeros behind the carriage return
 */
export function dbf(
  text: string,
  column = 'name',
  type = 'C',
  width = 60,
  mark = ' ',
  end = Buffer.from('\r'),
): Buffer {
  const header = Buffer.alloc(64);
  header[0] = 3;
  header.set([126, 11, 22], 1);
  header.writeUInt32LE(1, 4);
  header.writeUInt16LE(64 + end.length, 8);
  header.writeUInt16LE(1 + width, 10);
  header.write(column, 32, 'latin1');
  header.write(type, 43, 'latin1');
  header[48] = width;
  return Buffer.concat([header, end, Buffer.from(`${mark}${text.padEnd(width)}\x1a`, 'latin1')]);
}

/** A zip of files, stored as they are or compressed. */
function zip(files: Readonly<Record<string, Buffer | Deflated>>): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [file, content] of Object.entries(files)) {
    const isDeflated = 'deflated' in content;
    const body = isDeflated ? content.deflated : content;
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(isDeflated ? 8 : 0, 4);
    common.writeUInt32LE(crc32(body), 10);
    common.writeUInt32LE(body.length, 14);
    common.writeUInt32LE(isDeflated ? content.statedBytes : body.length, 18);
    common.writeUInt16LE(file.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), common, Buffer.from(file), body]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    directory.push(
      Buffer.concat([
        Buffer.from('PK\x01\x02', 'latin1'),
        Buffer.from([20, 0]),
        common,
        rest,
        Buffer.from(file),
      ]),
    );
    parts.push(local);
    offset += local.length;
  }
  const entries = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(directory.length, 8);
  end.writeUInt16LE(directory.length, 10);
  end.writeUInt32LE(entries.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, entries, end]);
}
