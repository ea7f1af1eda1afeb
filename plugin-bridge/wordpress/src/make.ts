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

/**
 * Shows parts in the place of earlier ones. A part that equals the one before stays as it is, with its listeners, so a reading of the
 * progress takes no focus away and no click that has just begun. Where a part with the focus is replaced, the first button or link of the
 * new one gets it.
 */
export function renew(place: HTMLElement, parts: readonly (Node | string)[]): void {
  const fresh = parts.map((part) => (typeof part === 'string' ? document.createTextNode(part) : part));
  const before = [...place.childNodes];
  fresh.forEach((part, index) => {
    const old = before[index];
    if (!old) place.append(part);
    else if (!old.isEqualNode(part)) exchange(old, part);
  });
  for (const old of before.slice(fresh.length)) old.remove();
}

function exchange(old: ChildNode, part: Node): void {
  const hadFocus = old.contains(document.activeElement);
  old.replaceWith(part);
  if (hadFocus && part instanceof Element) part.querySelector<HTMLElement>('button, a')?.focus();
}

/** Signs with which WordPress writes numbers. */
export interface Numbers {
  decimal: string;
  thousands: string;
}

/** Formats a number as WordPress's `number_format_i18n()`, so that scripts and PHP write one number alike. */
export function formatNumber(n: number, { numbers }: { numbers: Numbers }, places = 0): string {
  const [integerPart = '', part] = Math.abs(n).toFixed(places).split('.');
  const grouped = integerPart.replace(/\B(?=(\d{3})+$)/g, numbers.thousands);
  return `${n < 0 ? '-' : ''}${grouped}${part ? numbers.decimal + part : ''}`;
}

/** Formats bytes as WordPress's `size_format()` with one decimal place. */
export function formatBytes(bytes: number, site: { numbers: Numbers; units: readonly string[] }): string {
  const step = bytes > 0 ? Math.min(site.units.length - 1, Math.floor(Math.log2(bytes) / 10)) : 0;
  return `${formatNumber(bytes / 1024 ** step, site, 1)} ${site.units[step]}`;
}
