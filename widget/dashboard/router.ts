/** Base path of the pages. */
export const BASE = '/dashboard';

/** Reads the page's name from an address: `/dashboard/settings/keys` is `settings/keys`, `/dashboard` is `''`. */
function pageOf(pathname: string): string {
  return pathname.startsWith(BASE) ? pathname.slice(BASE.length).replace(/^\/+|\/+$/g, '') : '';
}

/**
 * Navigates between pages without a reload. Links have real addresses, so they can be opened in a new tab and reloaded.
 */
export class Router {
  readonly #onChange: (page: string) => void;

  /** @param onChange called with the name of the page to show, at the start and after each change */
  constructor(onChange: (page: string) => void) {
    this.#onChange = onChange;
    window.addEventListener('popstate', () => this.#notify());
    document.addEventListener('click', (event) => this.#follow(event));
    this.#notify();
  }

  /** Navigates to a page. `replace` replaces the history entry, e.g. after a redirect. */
  go(page: string, { replace = false } = {}): void {
    const address = page ? `${BASE}/${page}` : BASE;
    if (replace) history.replaceState(null, '', address);
    else history.pushState(null, '', address);
    this.#notify();
  }

  #notify(): void {
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
    this.go(pageOf(link.pathname) + link.search);
  }
}
