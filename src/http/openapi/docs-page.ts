import type { OpenApiDocument } from './document.js';

/** What is shown of a JSON schema. */
interface Schema {
  $ref?: string;
  type?: string | string[];
  anyOf?: Schema[];
  items?: Schema;
  enum?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  description?: string;
}

const STYLE = `
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1d2b22; }
h1, h2 { color: #24553a; } h2 { border-top: 1px solid #ccd8d0; padding-top: 1.5rem; }
code, pre { font: 14px/1.5 ui-monospace, monospace; background: #f1f5f2; border-radius: 4px; }
code { padding: 0 .25em; } h2 code { font-size: 1em; } pre { padding: .75rem; overflow-x: auto; }
table { border-collapse: collapse; width: 100%; } td, th { text-align: left; vertical-align: top; padding: .3rem .6rem; border-bottom: 1px solid #e1e8e3; }
`;

/** The OpenAPI document as an HTML page without scripts. */
export function docsPage(document: OpenApiDocument): string {
  const { info, paths, components } = document;
  const endpoints = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => endpointSection(method, path, operation)),
  );
  const schemas = Object.entries(components.schemas).map(
    ([name, schema]) => `<h2 id="${name}">${name}</h2>${fieldTable(schema)}`,
  );
  const title = `${escapeHtml(info.title)} ${escapeHtml(info.version)}`;
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><style>${STYLE}</style></head><body>
<h1>${title}</h1>${paragraphs(info.description)}<p>For programs: <a href="openapi.json">openapi.json</a>.</p>
${endpoints.join('\n')}
<h2>Other answers</h2>${answerTable('name', components.responses)}
<h2>Headers of answers</h2>${headerTable(components.headers)}
${schemas.join('\n')}</body></html>`;
}

function endpointSection(
  method: string,
  path: string,
  operation: OpenApiDocument['paths'][string][string],
): string {
  const body = operation.requestBody?.content['application/json'].schema as Schema | undefined;
  const key = operation.security.length > 0 ? 'Needs an API key in <code>X-API-Key</code>.' : 'Needs no key.';
  return `<h2><code>${method.toUpperCase()} ${path}</code></h2>
<p>${prose(operation.summary)}. ${key} ${prose(operation.description ?? '')}</p>
${body === undefined ? '' : `<h3>Body</h3><p>${typeOf(body)}</p>`}
<h3>Answers</h3>${answerTable('status', operation.responses)}`;
}

function answerTable(label: string, responses: Record<string, unknown>): string {
  const rows = Object.entries(responses).map(([name, response]) => {
    const { description, content } = response as {
      description: string;
      content: { 'application/json': { schema: Schema } };
    };
    return [name, prose(description), typeOf(content['application/json'].schema)];
  });
  return table([label, 'when', 'body'], rows);
}

function headerTable(headers: OpenApiDocument['components']['headers']): string {
  const rows = Object.entries(headers).map(([name, { description }]) => [
    `<code>${name}</code>`,
    prose(description),
  ]);
  return table(['header', 'meaning'], rows);
}

function fieldTable({ properties = {}, required = [] }: Schema): string {
  const rows = Object.entries(properties).map(([name, field]) => [
    `<code>${name}</code>${required.includes(name) ? '' : ' (optional)'}`,
    typeOf(field),
    prose(field.description ?? ''),
  ]);
  return table(['field', 'type', 'meaning'], rows);
}

/** @param rows HTML by row and column */
function table(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = rows.map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`);
  return `<table><tr>${titles.map((title) => `<th>${title}</th>`).join('')}</tr>${lines.join('')}</table>`;
}

/** A schema in a few words, with links to those that have a name. */
function typeOf(schema: Schema): string {
  const { $ref, type, anyOf, items, enum: values, properties } = schema;
  if ($ref !== undefined) {
    const name = $ref.slice($ref.lastIndexOf('/') + 1);
    return `<a href="#${name}">${name}</a>`;
  }
  if (values !== undefined)
    return values.map((value) => `<code>${escapeHtml(JSON.stringify(value))}</code>`).join(', ');
  if (anyOf !== undefined) return anyOf.map(typeOf).join(' or ');
  if (items !== undefined) return `array of ${typeOf(items)}`;
  if (properties !== undefined) return `object ${fieldTable(schema)}`;
  return escapeHtml(String(type ?? 'any'));
}

/** Text as paragraphs, which blank lines separate. */
function paragraphs(text: string): string {
  return text
    .split('\n\n')
    .map((paragraph) => `<p>${prose(paragraph)}</p>`)
    .join('');
}

/** Escaped text with `code` as elements. */
function prose(text: string): string {
  return escapeHtml(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
