import { crc32, deflateSync } from 'node:zlib';
import type { Page } from 'playwright-core';

/** A square picture of one colour as PNG (W3C Portable Network Graphics, third edition). */
export function png(size: number, colour: readonly [number, number, number]): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  header.set([8, 2, 0, 0, 0], 8); // 8 bits a channel, red green blue
  const row = Buffer.from([0, ...Array.from({ length: size }, () => colour).flat()]);
  const pixels = Buffer.concat(Array.from({ length: size }, () => row));
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(pixels)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** How many pixels of a picture have nearly this colour. @param page any, which decodes the picture */
export function pixelsOf(page: Page, picture: Buffer, colour: readonly number[]): Promise<number> {
  return page.evaluate(
    async ([base64, wanted]) => {
      const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
      const bitmap = await createImageBitmap(new Blob([bytes]));
      const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d')!;
      context.drawImage(bitmap, 0, 0);
      const { data } = context.getImageData(0, 0, bitmap.width, bitmap.height);
      const distance = (at: number) =>
        wanted.reduce((sum, value, channel) => sum + Math.abs(data[at + channel]! - value), 0);
      return data.filter((_, at) => at % 4 === 0 && distance(at) < 30).length;
    },
    [picture.toString('base64'), colour] as const,
  );
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
}
