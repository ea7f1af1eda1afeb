/** Creates an element with properties and children. Strings become text nodes. */
export function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Partial<HTMLElementTagNameMap[Name]> = {},
  ...children: (Node | string | null)[]
): HTMLElementTagNameMap[Name] {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children.filter((child) => child !== null));
  return element;
}

/** Creates a button in the style of the admin pages. */
export function makeButton(text: string, click: () => void, kind = ''): HTMLButtonElement {
  const button = make('button', { type: 'button', className: `button ${kind}`.trim() }, text);
  button.addEventListener('click', click);
  return button;
}

/** Formats bytes in the page's language. */
export function formatBytes(bytes: number, locale: string): string {
  const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte'];
  const step = bytes > 0 ? Math.min(3, Math.floor(Math.log10(bytes) / 3)) : 0;
  const format = { style: 'unit', unit: units[step], unitDisplay: 'short', maximumFractionDigits: 1 } as const;
  return new Intl.NumberFormat(locale, format).format(bytes / 1000 ** step);
}
