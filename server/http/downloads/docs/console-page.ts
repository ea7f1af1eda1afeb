import { groupEndpoints, renderAddress, tryFragment } from './endpoint-list.ts';
import { html } from './markup.ts';
import type { OpenApi } from './open-api-types.ts';
import { page } from './page.ts';

/**
 * Renders the page that sends requests: a list of all endpoints. Swagger UI, 1.7 MB of script, takes its place when
 * somebody chooses an endpoint or comes with one.
 */
export function renderConsole(api: OpenApi): string {
  const content = html`<div id="content" role="main"><section aria-labelledby="try"><h1 id="try">Try the API</h1>
<p>Requests are sent to this service, and count. Logged in, you need no key.</p>
<p id="state" role="status">Choose a request to fill in and send.</p>
<noscript><p>This page needs JavaScript. The <a href="/docs">reference</a> does not.</p></noscript></section>
<div id="docs"><div class="requests">${groupEndpoints(api).map(
    ({ name, endpoints }) =>
      html`<h2>${name}</h2><ul>${endpoints.map(
        (endpoint) =>
          html`<li><a href="${tryFragment(endpoint)}">${renderAddress(endpoint)} <span>${endpoint.summary}</span></a></li>`,
      )}</ul>\n`,
  )}</div></div></div>`;
  return page({ title: 'Try the API', current: '/docs/try', content, scripts: ['/docs/start.js'] });
}
