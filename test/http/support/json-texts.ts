import fc from 'fast-check';

/** Names that the interface knows, and names near them. */
const NAMES = [
  'latitude',
  'horizons',
  'requests',
  'latitud',
  'latitudes',
  '__proto__',
  'constructor',
  '0',
  '',
  'é💥',
];

const space = fc.constantFrom('', '', '', ' ', '\n', '\t\r ');

/** A JSON string of a text, with some of its characters as escapes. */
const stringOf = (text: string) =>
  fc.infiniteStream(fc.nat(7)).map((choices) => {
    const inner = [...JSON.stringify(text).slice(1, -1)].map((character) =>
      /[a-z0-9]/.test(character) && !JSON.stringify(text).includes('\\') && choices.next().value === 0
        ? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0').toUpperCase()}`
        : character,
    );
    return `"${inner.join('')}"`;
  });

const string = fc.oneof(
  fc.constantFrom(...NAMES).chain(stringOf),
  fc.string({ unit: 'binary' }).map((text) => JSON.stringify(text)),
  fc.constantFrom('"\\ud800"', '"\\\\"', '"\\\\\\""', '"\\/\\b\\f\\n\\r\\t"', '"[{]},:\\""'),
);
const number = fc.oneof(
  fc.double().filter(Number.isFinite).map(String),
  fc.integer({ min: -9, max: 9 }).map(String),
  fc.constantFrom('-0', '1e5', '1E+5', '0.10', '1e-7', '1e999', '9007199254740993', '123456789012345678901'),
);

const { value } = fc.letrec<{ value: string; member: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.oneof(string, number, fc.constantFrom('true', 'false', 'null', '{}', '[ ]')),
    fc
      .tuple(fc.array(fc.tuple(space, tie('value'), space).map((parts) => parts.join(''))))
      .map(([elements]) => `[${elements.join(',')}]`),
    fc.array(tie('member')).map((members) => `{${members.join(',')}}`),
  ),
  member: fc
    .tuple(space, fc.constantFrom(...NAMES).chain(stringOf), space, space, tie('value'), space)
    .map(
      ([before, name, between, after, element, end]) => `${before}${name}${between}:${after}${element}${end}`,
    ),
}));

/** JSON in any spelling: names known and unknown, repeated, and with escapes. */
export const jsonText = fc.tuple(space, value, space).map((parts) => parts.join(''));

/** JSON with some characters replaced, inserted or cut out, so that most of it is invalid. */
export const damagedText = fc
  .tuple(
    jsonText,
    fc.array(
      fc.tuple(fc.nat(), fc.nat(2), fc.string({ unit: fc.constantFrom(...'{}[]",:\\u0e.-+1tn \n\0é') })),
      {
        minLength: 1,
        maxLength: 3,
      },
    ),
  )
  .map(([text, damages]) =>
    damages.reduce((damaged, [at, cut, inserted]) => {
      const from = at % (damaged.length + 1);
      return damaged.slice(0, from) + inserted + damaged.slice(from + cut);
    }, text),
  );
