import { describeVariables } from '../../src/config.js';

/** The environment variables as the README's table: name, default, meaning. */
export function configTable(): string {
  const rows = describeVariables().map(
    ({ name, defaultValue, meaning }) =>
      `| \`${name}\` | ${defaultValue === '' ? '' : `\`${defaultValue}\``} | ${meaning} |`,
  );
  return ['| variable | default | meaning |', '|---|---|---|', ...rows].join('\n');
}
