/** Base path of the pages. */
export const BASE = '/dashboard';

/** Reads the page's name from an address: `/dashboard/settings/keys` is `settings/keys`, `/dashboard` is `''`. */
function pageOf(pathname: string): string {
  return pathname.startsWith(BASE) ? pathname.slice(BASE.length).replace(/^\/+|\/+$/g, '') : '';
}

/**
 * Follows the links of the pages without loading them anew. Links are real: they open in a new tab, and a page that is
 * loaded at its address shows the same.
 */
export class Router {
  readonly #onChange: (page: string) => void;

  /** @param onChange is told the name of the page to show, each time it changes and once at the start */
  constructor(onChange: (page: string) => void) {
    this.#onChange = onChange;
    window.addEventListener('popstate', () => this.#tell());
    document.addEventListener('click', (event) => this.#follow(event));
    this.#tell();
  }

  /** Goes to a page. `replace` leaves no way back, e.g. from a page that was not for this visitor. */
  go(page: string, { replace = false } = {}): void {
    const address = page ? `${BASE}/${page}` : BASE;
    if (replace) history.replaceState(null, '', address);
    else history.pushState(null, '', address);
    this.#tell();
  }

  #tell(): void {
    this.#onChange(pageOf(location.pathname));
  }

  #follow(event: MouseEvent): void {
    if (
      event.defaultPrevented ||
      event.button !== 0 ||
      event.ctrlKey ||
      event.metaKey ||
      event.shiftKey ||
      event.altKey
    )
      return;
    const link = event.composedPath().find((node) => node instanceof HTMLAnchorElement);
    if (!link || link.target || link.hasAttribute('download') || link.origin !== location.origin) return;
    if (link.pathname !== BASE && !link.pathname.startsWith(`${BASE}/`)) return;
    event.preventDefault();
    this.go(pageOf(link.pathname));
  }
}
