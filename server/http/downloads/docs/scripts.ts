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
