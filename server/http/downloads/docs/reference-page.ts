import { breakable, type Endpoint, groupEndpoints, renderAddress, tryFragment } from './endpoint-list.ts';
import { html, type Markup, prose } from './markup.ts';
import type { OpenApi, Operation, Schema } from './open-api-types.ts';
import { page } from './page.ts';
import { nameOf, renderField, renderFields, renderType } from './render-schema.ts';

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
