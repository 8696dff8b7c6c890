/** Replacements for values of GeoJSON: wrong types, numbers at and beyond every limit, invalid JSON, hostile texts. */
const VALUES = [
  ...[
    'null',
    'true',
    '""',
    '[]',
    '{}',
    '[[[[]]]]',
    '[null]',
    '{"type":"Polygon"}',
    '"Polygon"',
    '"MultiPolygon"',
  ],
  ...[
    '0',
    '-0',
    '180',
    '-180',
    '180.0000000001',
    '-540',
    '90',
    '1e308',
    '-1e999',
    '1e-400',
    '9007199254740993',
  ],
  ...[
    'NaN',
    '-Infinity',
    '0x10',
    '1e',
    '01',
    '1'.repeat(500),
    `44.${'1'.repeat(500)}`,
    '"44"',
    "'44'",
    'undefined',
  ],
  ...[
    '"\\ud800"',
    '"\\u0000"',
    '"__proto__"',
    '{"__proto__":1}',
    '"<img src=x onerror=alert(1)>"',
    `"${'x'.repeat(5000)}"`,
  ],
  ...[',', ':', '[', ']', '{', '}', '"', '\\', '\u2028', '\ufeff', '\ud83d\ude00'],
];

/** How often a value is repeated, or put into arrays. */
const COUNTS = [1, 2, 10, 300, 3000];

const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null|[[\]{}:,]/g;

type Random = () => number;

const pick = <Item>(items: readonly Item[], random: Random): Item =>
  items[Math.floor(random() * items.length)]!;

/** JSON with a few of its values or tokens changed, left out, repeated, nested or exchanged. */
export function mutateJson(text: string, random: Random): string {
  const tokens = text.match(TOKEN) ?? [];
  for (let change = Math.floor(random() * 3); change >= 0 && tokens.length > 0; change--)
    mutateTokens(tokens, random);
  return tokens.join('');
}

function mutateTokens(tokens: string[], random: Random): void {
  const at = Math.floor(random() * tokens.length);
  const length = spanLength(tokens, at);
  const span = tokens.slice(at, at + length);
  const count = pick(COUNTS, random);
  switch (Math.floor(random() * 8)) {
    case 0:
      tokens.splice(at, length, pick(VALUES, random));
      return;
    case 1:
      tokens.splice(at, length);
      return;
    case 2: // the same again: elements, members, ids, positions
      tokens.splice(
        at,
        0,
        ...Array(length * count > 50_000 ? 1 : count)
          .fill([...span, ','])
          .flat(),
      );
      return;
    case 3: {
      const other = Math.floor(random() * tokens.length);
      tokens.splice(at, length, ...tokens.slice(other, other + spanLength(tokens, other)));
      return;
    }
    case 4:
      tokens.splice(at, length, '['.repeat(count), ...span, ']'.repeat(count));
      return;
    case 5:
      tokens.splice(at, length, '{"a":'.repeat(count), ...span, '}'.repeat(count));
      return;
    case 6: {
      const other = Math.floor(random() * tokens.length);
      [tokens[at], tokens[other]] = [tokens[other]!, tokens[at]!];
      return;
    }
    default: {
      const number = tokens.findIndex((token, index) => index >= at && /^-?\d/.test(token));
      const value = Number(tokens[number]);
      if (number !== -1)
        tokens[number] = String(pick([value + 360, value - 360, -value, value + 1e-9, value * 1e5], random));
    }
  }
}

/** The number of tokens of the value or member that starts with a token. */
function spanLength(tokens: readonly string[], start: number): number {
  const at = tokens[start + 1] === ':' ? start + 2 : start;
  let depth = 0;
  for (let end = at; end < tokens.length; end++) {
    if (tokens[end] === '[' || tokens[end] === '{') depth++;
    if (tokens[end] === ']' || tokens[end] === '}') depth--;
    if (depth <= 0) return end + 1 - start;
  }
  return 1;
}
