import {
  breakable,
  type Endpoint,
  groupEndpoints,
  type OpenApi,
  type Operation,
  renderAddress,
  type Schema,
  tryFragment,
} from './endpoint-list.ts';
import { html, type Markup, page, prose } from './page.ts';

/** Renders the reference of the API: every endpoint and every schema, readable without a script. */
export function renderReference(api: OpenApi): string {
  const groups = groupEndpoints(api);
  const content = html`<div class="columns">
<nav aria-label="Endpoints"><ul>
${groups.map(
  ({ name, endpoints: own }) =>
    html`<li><a href="#${name}">${name}</a><ul>${own.map(
      (endpoint) => html`<li><a href="#${endpoint.operationId}">${renderAddress(endpoint)}</a></li>`,
    )}</ul></li>`,
)}
<li><a href="#schemas">Schemas</a></li></ul></nav>
<main id="content"><h1>${api.info.title} API <small>${api.info.version}</small></h1>
<p>${prose(api.info.description)}</p>
<p>Requests of programs carry an API key in the header <code>X-API-Key</code>. Keys are made in the <a href="/dashboard/settings/keys">dashboard</a>.</p>
${groups.map(
  ({ name, description, endpoints: own }) => html`<section aria-labelledby="${name}"><h2 id="${name}">${name}</h2>
<p>${prose(description)}</p>${own.map(renderEndpoint)}</section>`,
)}
<section aria-labelledby="schemas"><h2 id="schemas">Schemas</h2>${Object.entries(api.components.schemas).map(renderNamed)}</section>
</main></div>`;
  return page({ title: 'API reference', current: '/docs', content });
}

function renderEndpoint(endpoint: Endpoint): Markup {
  const { operationId, method, path, summary, description, parameters = [], requestBody, responses } = endpoint;
  return html`<article aria-labelledby="${operationId}"><h3 id="${operationId}"><b class="${method.toLowerCase()}">${method}</b> <code>${breakable(path)}</code></h3>
<p><strong>${summary}.</strong> ${prose(description)} <a href="/docs/try${tryFragment(endpoint)}">Try it<span class="unseen"> (${summary})</span></a></p>
${
  parameters.length > 0
    ? html`<h4>Parameters</h4><dl>${parameters.map(({ name, in: place, schema, required, description: note }) =>
        renderField(name, schema, required ?? false, `In the ${place}. ${note ?? schema.description ?? ''}`),
      )}</dl>`
    : ''
}
${Object.entries(requestBody?.content ?? {}).map(([type, { schema = {} }]) => html`<h4>Body, <code>${type}</code></h4>${renderBody(schema)}`)}
<h4>Responses</h4><dl>${Object.entries(responses).map(renderResponse)}</dl></article>`;
}

/** Renders a body: the link to a named schema, or its fields. */
function renderBody(schema: Schema): Markup {
  return html`${nameOf(schema) || schema.anyOf ? html`<p>${renderType(schema)}</p>` : ''}${renderFields(schema)}`;
}

function renderResponse([status, { description, content = {} }]: [string, Operation['responses'][string]]): Markup {
  const types = Object.entries(content).filter(([type]) => type !== 'application/json' || status < '300');
  return html`<div><dt><code>${status}</code></dt><dd>${prose(description)}${types.map(
    ([type, { schema }]) => html` <span><code>${type}</code>${schema ? html`: ${renderType(schema)}` : ''}</span>`,
  )}</dd></div>`;
}

function renderNamed([name, schema]: [string, Schema]): Markup {
  const isPlain = !schema.properties;
  return html`<article aria-labelledby="schema-${name}"><h3 id="schema-${name}">${name}</h3>
<p>${prose(schema.description)}${isPlain ? renderType(schema) : ''}</p>${renderFields(schema)}</article>`;
}

/** Returns the name of a schema of the components; undefined for one in place. */
const nameOf = ({ $ref = '' }: Schema): string | undefined => $ref.split('/').at(-1) || undefined;

/** Renders the type of a value in one line, e.g. `list of Size`, with links to named schemas. */
function renderType(schema: Schema): Markup {
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
function renderFields(schema: Schema): Markup {
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
function renderField(name: string, schema: Schema, required: boolean, note?: string): Markup {
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
