/** A page of the documentation. */
interface DocsPage {
  title: string;
  /** Path of the page. */
  current: string;
  content: Markup;
  /** Paths of scripts that run after the page is read. */
  scripts?: string[];
}

const LINKS = [
  { path: '/docs', name: 'Reference' },
  { path: '/docs/try', name: 'Try it' },
  { path: '/v1/openapi.json', name: 'OpenAPI document' },
];

/** Renders a page of the documentation with its header: the way back, the other pages, and the theme. */
export function page({ title, current, content, scripts = [] }: DocsPage): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="The HTTP API of this Imagewright service.">
<title>${title} – Imagewright</title>
<link rel="icon" type="image/png" href="/docs/favicon-32x32.png">
<link rel="stylesheet" href="/widget/styles/tokens.css">
<link rel="stylesheet" href="/widget/styles/palette.css">
<link rel="stylesheet" href="/docs/docs.css">
<script src="/docs/theme.js"></script>
${scripts.map((path) => html`<script defer src="${path}"></script>\n`)}</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header><a href="/dashboard">‹ Dashboard</a><nav aria-label="Documentation">${LINKS.map(
    ({ path, name }) => html`<a href="${path}"${path === current ? html` aria-current="page"` : ''}>${name}</a>`,
  )}</nav>
<label>Theme <select id="theme"><option value="system">System</option><option value="light">Light</option><option value="dark">Dark</option></select></label></header>
${content}
</body>
</html>
`.text;
}

/** HTML that may be sent as it is. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = Markup | string | number | Part[];

/** Builds HTML; texts are escaped, markup and lists of it are not. */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Markup {
  return new Markup(strings.reduce((text, string, index) => text + render(parts[index - 1] ?? '') + string));
}

/** Shows words between backticks as code, as descriptions write them. */
export function prose(text = ''): Markup[] {
  return text.split('`').map((part, index) => (index % 2 ? html`<code>${part}</code>` : html`${part}`));
}

function render(part: Part): string {
  if (Array.isArray(part)) return part.map(render).join('');
  if (part instanceof Markup) return part.text;
  return `${part}`.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
