/** Style sheet of the documentation. Its tokens and colours are those of the element and the dashboard. */
export const STYLES = `* { box-sizing: border-box; }
html { scroll-padding-block-start: 72px; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 0.875rem / 1.55 var(--_font); }
a { color: var(--accent); text-underline-offset: 2px; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
code { font: var(--_t13) ui-monospace, 'SF Mono', Menlo, Consolas, monospace; overflow-wrap: anywhere; }
.skip:not(:focus), .unseen { position: absolute; inline-size: 1px; block-size: 1px; overflow: hidden; clip-path: inset(50%); }
.skip:focus { position: fixed; inset: 8px auto auto 8px; z-index: 3; padding: 8px 14px; background: var(--sheet); }
body > header { position: sticky; inset-block-start: 0; z-index: 2; display: flex; flex-wrap: wrap; align-items: center; gap: 4px 20px; padding: 10px clamp(16px, 3vw, 32px); border-block-end: 1px solid var(--line); background: var(--paper); }
body > header nav { display: flex; flex-wrap: wrap; gap: 4px 18px; margin-inline-start: auto; }
body > header a { padding-block: 6px; }
body > header a[aria-current] { color: var(--ink); font-weight: 600; text-decoration: none; }
body > header select { min-block-size: 34px; padding-inline: 6px; border: 1px solid var(--soft); border-radius: var(--_r1); background: var(--sheet); color: inherit; font: inherit; }
.columns { display: grid; grid-template-columns: 320px minmax(0, 1fr); align-items: start; }
.columns > nav { position: sticky; inset-block-start: 56px; max-block-size: calc(100vh - 56px); overflow: auto; padding: 20px 16px 40px clamp(16px, 3vw, 32px); border-inline-end: 1px solid var(--line); font-size: var(--_t13); }
.columns ul, .requests ul { margin: 0; padding: 0; list-style: none; }
.columns > nav > ul > li > a { display: block; margin-block: 10px 2px; font-weight: 600; }
.columns ul ul a, .requests a { display: block; padding-block: 3px; color: var(--ink); text-decoration: none; overflow-wrap: anywhere; }
.columns ul ul a:hover, .requests a:hover { text-decoration: underline; }
.requests { padding: 6px 20px 18px; }
.requests h2 { margin-block: 18px 4px; font-size: var(--_t16); }
.requests a span { color: var(--soft); }
.columns b, .requests b { color: var(--soft); font-size: var(--_t12); letter-spacing: 0.02em; }
.columns > nav b { font-size: 0.9231em; }
body > #content { margin-inline: auto; }
#content { max-inline-size: 980px; padding: 28px clamp(16px, 4vw, 48px) 80px; }
main > section { margin-block-start: 40px; }
h1, h2, h3, h4, b, strong { font-weight: 600; }
h1 { margin: 0 0 12px; font-size: var(--_t28); line-height: 1.2143; letter-spacing: -0.02em; }
h1 small { color: var(--soft); font-size: 0.5em; font-weight: 500; }
h2 { margin: 0; font-size: var(--_t20); }
h3 { margin: 0; font-size: 1em; line-height: 1.4; }
h4 { margin: 16px 0 4px; font-size: var(--_t13); color: var(--soft); }
article { margin-block-start: 16px; padding: 18px clamp(14px, 3vw, 24px); border: 1px solid var(--line); border-radius: var(--_radius); background: var(--sheet); content-visibility: auto; contain-intrinsic-size: auto 420px; }
article p { margin: 8px 0 0; }
h3 b { padding: 2px 8px; border-radius: var(--_r1); background: color-mix(in oklab, var(--accent) 14%, transparent); color: var(--ink); }
dl { margin: 0; }
dl > div { padding-block: 7px; border-block-start: 1px solid var(--line); }
dt span { color: var(--soft); font-size: var(--_t13); }
dd { margin: 0; overflow-wrap: anywhere; }
dd dl { margin: 6px 0 0 16px; }
#docs { margin: 8px -16px 0; border-radius: var(--_radius); background: var(--sheet); }
#docs .info, #docs .servers, #docs .servers-title { display: none; }
#docs .scheme-container { margin: 0; padding: 14px 0; background: none; box-shadow: none; }
#docs .wrapper { padding-inline: 20px; }
#docs .opblock-summary-path a { padding-block: 4px; }
#docs .response-col_links { display: none; }
#docs .parameter__in, #docs .headers td, #docs .headers th { color: inherit; }
#docs .btn.execute { border-color: #0f6b68; background: #0f6b68; color: #fff; }
#docs .btn.cancel { border-color: currentcolor; color: light-dark(#a3201a, #ff9d97); }
html:not(.dark-mode) #docs .opblock-summary-method { color: #000; text-shadow: none; }
html:not(.dark-mode) #docs .btn.authorize { border-color: #0f6b68; color: #0f6b68; }
@media (max-width: 900px) {
  body > header { position: static; }
  body > header nav { margin-inline-start: 0; }
  .columns { grid-template-columns: minmax(0, 1fr); }
  .columns > nav { position: static; padding-block: 10px; border-inline-end: 0; border-block-end: 1px solid var(--line); }
  .columns > nav > ul { display: flex; flex-wrap: wrap; gap: 0 18px; }
  .columns > nav > ul > li > a { margin: 0; padding-block: 4px; }
  .columns ul ul { display: none; }
}
`;

/**
 * Runs before the page is shown: applies the theme that was chosen in this browser, here or on the dashboard. Swagger UI
 * is dark by a class.
 */
export const THEME_SCRIPT = `(() => {
  const KEY = 'imagewright-theme';
  const root = document.documentElement;
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const chosen = () => {
    try {
      return localStorage.getItem(KEY) ?? 'system';
    } catch {
      return 'system';
    }
  };
  let theme = chosen();
  function apply() {
    root.dataset.theme = theme;
    root.classList.toggle('dark-mode', theme === 'dark' || (theme === 'system' && dark.matches));
  }
  apply();
  dark.addEventListener('change', apply);
  document.addEventListener('DOMContentLoaded', () => {
    const select = document.getElementById('theme');
    select.value = theme;
    select.addEventListener('change', () => {
      theme = select.value;
      try {
        localStorage.setItem(KEY, theme);
      } catch {}
      apply();
    });
  });
})();
`;

/**
 * Loads and starts Swagger UI once an endpoint is chosen, and opens that endpoint. A separate file, since the page
 * allows no inline script; `validatorUrl: null` prevents requests to other hosts. It mends what Swagger UI leaves without
 * a name, nests or misplaces for screen readers.
 */
export const CONSOLE_SCRIPT = `const docs = document.getElementById('docs');
const state = document.getElementById('state');
function name(selector, label) {
  for (const element of docs.querySelectorAll(selector + ':not([aria-label])')) element.setAttribute('aria-label', label(element));
}
function mend() {
  for (const link of docs.querySelectorAll('button a[href]')) link.removeAttribute('href');
  for (const heading of docs.querySelectorAll('h3.opblock-tag')) heading.setAttribute('aria-level', '2');
  for (const heading of docs.querySelectorAll('.opblock-body h4')) heading.setAttribute('aria-level', '3');
  for (const heading of docs.querySelectorAll('.opblock-body h5')) heading.setAttribute('aria-level', '4');
  for (const code of docs.querySelectorAll('pre:not([tabindex])')) code.tabIndex = 0;
  name('.parameters input, .parameters select, .parameters textarea', (field) => field.closest('tr')?.dataset.paramName ?? 'Value');
  name('.body-param__text', () => 'Request body');
  name('select', () => 'Media type');
}
function load(tag, properties) {
  return new Promise((resolve, reject) => {
    const element = Object.assign(document.createElement(tag), properties, { onload: resolve, onerror: () => {
      element.remove();
      reject(new Error('not loaded'));
    } });
    document.head.prepend(element);
  });
}
function show() {
  // Swagger UI has a main part of its own.
  document.getElementById('content').removeAttribute('role');
  new MutationObserver(mend).observe(docs, { childList: true, subtree: true });
  SwaggerUIBundle({
    url: '/v1/openapi.json',
    dom_id: '#docs',
    presets: [SwaggerUIBundle.presets.apis],
    deepLinking: true,
    defaultModelsExpandDepth: -1,
    displayRequestDuration: true,
    tryItOutEnabled: true,
    validatorUrl: null,
    onComplete: () => docs.querySelector('.opblock.is-open .opblock-summary-control')?.focus({ preventScroll: true }),
  });
}
let loading = false;
async function start() {
  if (loading || !location.hash.startsWith('#/')) return;
  loading = true;
  state.textContent = 'The request form is loading…';
  try {
    await Promise.all([
      load('link', { rel: 'stylesheet', href: '/docs/swagger-ui.css' }),
      load('script', { src: '/docs/swagger-ui-bundle.js' }),
    ]);
    show();
    state.textContent = '';
  } catch {
    loading = false;
    state.textContent = 'The request form could not be loaded. Please choose a request again.';
  }
}
addEventListener('hashchange', start);
docs.addEventListener('click', (event) => {
  if (event.target.closest('.requests a')) setTimeout(start);
});
start();
`;
