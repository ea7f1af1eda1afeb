/** Embedding of the element in a test's page. */
export interface HostPage {
  /** Attributes of the element, or of several. @default one without any */
  elements?: Record<string, string | boolean>[];
  /** Properties that are set before the element is defined; JSON values. */
  properties?: Record<string, unknown>;
  /** Sent with each request, as a CMS would; usually the key. */
  headers?: Record<string, string>;
  lang?: string;
  dir?: 'ltr' | 'rtl';
  /** Rules of the page itself. */
  css?: string;
  /** Inside the element. */
  content?: string;
  /** Before and after the elements. */
  around?: [string, string];
  /** `module` imports `/widget/define.js`, `classic` loads one script; several are loaded in this order. */
  load?: ('module' | 'classic' | 'module-again')[];
  policy?: string;
  /** False: of an event only its type is kept, where what it tells of is measured itself. @default true */
  recordDetails?: boolean;
  /** Runs before anything of the widget does. */
  script?: string;
}

/** The strictest policy under which the element works: nothing from elsewhere, nothing inline, no made-up addresses. */
const STRICT_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'";

const SCRIPTS = {
  module: '<script type="module" src="/widget/define.js"></script>',
  'module-again': '<script type="module" src="/widget/define.js?second-copy"></script>',
  classic: '<script src="/widget/imagewright.iife.js" defer></script>',
} as const;

/** The files of a page, by path; they are answered from the service's own origin. */
export function hostFiles(page: HostPage): Record<string, { body: string; type: string; policy?: string }> {
  const {
    elements = [{}],
    lang = 'en',
    dir = 'ltr',
    css = '',
    content = '',
    around = ['', ''],
    load = ['module'],
  } = page;
  const tags = elements.map((attributes) => {
    const written = Object.entries(attributes).flatMap(([name, value]) =>
      value === false ? [] : [value === true ? name : `${name}="${value}"`],
    );
    return `<image-optimizer ${written.join(' ')}>${content}</image-optimizer>`;
  });
  const html = `<!doctype html>
<html lang="${lang}" dir="${dir}">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>A page of a CMS</title>
    <link rel="icon" href="/docs/favicon-32x32.png">
    <link rel="stylesheet" href="/host/page.css">
    <script src="/host/page.js" defer></script>
    ${load.map((kind) => SCRIPTS[kind]).join('\n    ')}
  </head>
  <body>
    <header><h1>Media</h1></header>
    <main>${around[0]}${tags.join('\n')}${around[1]}</main>
  </body>
</html>`;
  return {
    '/host/': { body: html, type: 'text/html; charset=utf-8', policy: page.policy ?? STRICT_POLICY },
    '/host/page.css': { body: `:root { color-scheme: light dark; }\n${css}`, type: 'text/css' },
    '/host/page.js': { body: pageScript(page), type: 'text/javascript' },
  };
}

/** Sets properties before the definition comes; records events, spoken messages and the object URLs that are held. */
function pageScript({ headers = {}, properties = {}, script = '', recordDetails = true }: HostPage): string {
  return `
    ${script}
    window.recorded = [];
    window.spoken = [];
    window.objectUrls = new Set();
    const { createObjectURL, revokeObjectURL } = URL;
    URL.createObjectURL = (source) => {
      const url = createObjectURL.call(URL, source);
      window.objectUrls.add(url);
      return url;
    };
    URL.revokeObjectURL = (url) => {
      window.objectUrls.delete(url);
      revokeObjectURL.call(URL, url);
    };
    const plain = (value) => JSON.parse(JSON.stringify(value, (key, each) =>
      each instanceof Blob ? { name: each.name, size: each.size, type: each.type } : each) ?? 'null');
    const NAMES = ${JSON.stringify(EVENT_NAMES)};
    for (const name of NAMES) {
      document.addEventListener(name, (event) => window.recorded.push({
        type: name, detail: ${recordDetails ? 'plain(event.detail)' : 'null'}, target: event.target.id, cancelable: event.cancelable,
        composed: event.composed,
      }));
    }
    for (const element of document.querySelectorAll('image-optimizer')) {
      Object.assign(element, { headers: ${JSON.stringify(headers)} }, ${JSON.stringify(properties)});
    }
    customElements.whenDefined('image-optimizer').then(async () => {
      for (const element of document.querySelectorAll('image-optimizer')) {
        await element.updateComplete;
        const live = element.shadowRoot.querySelector('io-live');
        await live.updateComplete;
        for (const region of live.shadowRoot.querySelectorAll('[aria-live]')) {
          new MutationObserver(() => {
            const text = region.textContent.trim();
            if (text) window.spoken.push(region.getAttribute('aria-live') + ': ' + text);
          }).observe(region, { childList: true, characterData: true, subtree: true });
        }
      }
      window.ready = true;
    });
  `;
}

/** Every event that the element documents. */
export const EVENT_NAMES = [
  'io-before-add',
  'io-add',
  'io-remove',
  'io-reject',
  'io-upload-progress',
  'io-upload',
  'io-analyze-progress',
  'io-analyze',
  'io-metadata-change',
  'io-settings-change',
  'io-cost',
  'io-sample',
  'io-before-export',
  'io-export-progress',
  'io-export',
  'io-download',
  'io-replace',
  'io-state-change',
  'io-error',
] as const;
