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
