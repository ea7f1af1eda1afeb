import { html, type Markup, prose } from './markup.ts';
import type { Schema } from './open-api-types.ts';

/** Returns the name of a schema of the components; undefined for one in place. */
export const nameOf = ({ $ref = '' }: Schema): string | undefined => $ref.split('/').at(-1) || undefined;

/** Renders the type of a value in one line, e.g. `list of Size`, with links to named schemas. */
export function renderType(schema: Schema): Markup {
  const name = nameOf(schema);
  if (name) return html`<a href="#schema-${name}">${name}</a>`;
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return joined(choices.map(renderType));
  if (schema.enum) return joined(schema.enum.map((value) => html`<code>${JSON.stringify(value)}</code>`));
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`;
  if (schema.items) return html`list of ${renderType(schema.items)}`;
  return html`${[schema.type ?? 'any value'].flat().join(' or ')}`;
}

/** Renders the fields of a value: those of an object, of its branches, or of the elements of a list. */
export function renderFields(schema: Schema): Markup {
  const fields = Object.entries(schema.properties ?? {});
  const branches = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.items ? [schema.items] : [])];
  const rest = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined;
  return html`${
    fields.length > 0
      ? html`<dl>${fields.map(([name, field]) => renderField(name, field, schema.required?.includes(name) ?? false))}</dl>`
      : ''
  }${rest ? html`<p>Any name: ${renderType(rest)}.</p>${renderFields(rest)}` : ''}${branches.filter((branch) => !nameOf(branch)).map(renderFields)}`;
}

/** Renders one field or parameter: name, type, whether it is required, limits and meaning. */
export function renderField(name: string, schema: Schema, required: boolean, note?: string): Markup {
  const limits = limitsOf(schema);
  return html`<div><dt><code>${name}</code> <span>${renderType(schema)}${limits ? `, ${limits}` : ''}${required ? ', required' : ''}</span></dt>
<dd>${prose(note ?? schema.description)}${nameOf(schema) ? '' : renderFields(schema)}</dd></div>`;
}

function limitsOf(schema: Schema): string {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, format } = schema;
  const limits = [
    format ?? '',
    span(minimum, maximum, ''),
    span(minLength, maxLength, ' characters'),
    span(minItems, maxItems, ' elements'),
    schema.default === undefined ? '' : `default ${JSON.stringify(schema.default)}`,
  ];
  return limits.filter(Boolean).join(', ');
}

function span(least: number | undefined, most: number | undefined, unit: string): string {
  if (least === undefined && most === undefined) return '';
  if (most === undefined) return `at least ${least}${unit}`;
  return least === undefined ? `at most ${most}${unit}` : `${least} to ${most}${unit}`;
}

function joined(parts: Markup[]): Markup {
  return html`${parts.map((part, index) => html`${index > 0 ? ' or ' : ''}${part}`)}`;
}
