import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RequestBoundaries } from '../../src/http/server/request-boundaries.js';

const head = fc
  .array(fc.stringMatching(/^[A-Za-z-]{1,12}: [ -~]{0,20}$/), { maxLength: 6 })
  .map((headers) => ['POST /v1/predict HTTP/1.1', ...headers, '', ''].join('\r\n'));

const chunk = fc
  .stringMatching(/^[ -~\r\n]{1,20}$/)
  .map((data) => `${data.length.toString(16)}\r\n${data}\r\n`);
const chunkedBody = fc
  .tuple(fc.array(chunk, { maxLength: 8 }), fc.constantFrom('', 'X-Trailer: y\r\n'))
  .map(([chunks, trailer]) => `${chunks.join('')}0\r\n${trailer}\r\n`);

/** The same bytes in pieces, as a network may deliver them. */
const pieces = (text: string) =>
  fc.array(fc.integer({ min: 0, max: text.length }), { maxLength: 6 }).map((cuts) => {
    const at = [0, ...cuts.sort((a, b) => a - b), text.length];
    return at.slice(1).map((end, i) => Buffer.from(text.slice(at[i], end), 'latin1'));
  });

const headsInPieces = fc
  .array(head, { minLength: 1, maxLength: 5 })
  .chain((heads) => fc.tuple(fc.constant(heads), pieces(heads.join(''))));

const bodyInPieces = chunkedBody.chain((body) =>
  fc.tuple(fc.constant(body), pieces(`${body}GET / HTTP/1.1\r\n\r\n`)),
);

test('no part spans two heads, and a part that completes a head ends where the head ends', () => {
  fc.assert(
    fc.property(headsInPieces, ([heads, received]) => {
      const boundaries = new RequestBoundaries();
      const ends = new Set(heads.map((_, i) => heads.slice(0, i + 1).join('').length));
      let at = 0;
      const seen = new Set<number>();
      for (let bytes of received) {
        while (bytes.length > 0) {
          const length = boundaries.head(bytes);
          expect(length).toBeGreaterThan(0);
          for (let i = at + 1; i < at + length; i++) expect(ends.has(i), `passed over ${i}`).toBe(false);
          at += length;
          if (ends.has(at)) seen.add(at);
          bytes = bytes.subarray(length);
        }
      }
      expect(seen).toEqual(ends);
    }),
    { numRuns: 2000 },
  );
});

test.each([1, 2, 3, 1000])(
  'no part of at most %i lines extends past the end of a chunked body',
  (maxLines) => {
    fc.assert(
      fc.property(bodyInPieces, ([body, received]) => {
        const boundaries = new RequestBoundaries();
        let at = 0;
        for (let bytes of received) {
          while (bytes.length > 0 && at < body.length) {
            const { length, lines } = boundaries.chunks(bytes, maxLines);
            expect(length).toBeGreaterThan(0);
            expect(lines).toBeLessThanOrEqual(maxLines);
            expect(bytes.toString('latin1', 0, length).split('\r\n').length - 2).toBeLessThanOrEqual(lines);
            at += length;
            bytes = bytes.subarray(length);
          }
        }
        expect(at).toBe(body.length);
      }),
      { numRuns: 2000 },
    );
  },
);
