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

/** Formats bytes as WordPress's `size_format()` with one decimal place, so that scripts and PHP say the same of one number. */
export function formatBytes(bytes: number, { locale, units }: { locale: string; units: readonly string[] }): string {
  const step = bytes > 0 ? Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10)) : 0;
  const format = { minimumFractionDigits: 1, maximumFractionDigits: 1 } as const;
  return `${new Intl.NumberFormat(locale, format).format(bytes / 1024 ** step)} ${units[step]}`;
}
