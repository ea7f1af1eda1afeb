import { html, LitElement } from 'lit';
import type { Announcement } from '../../state/index.ts';
import { foundation } from '../../styles/index.ts';

/** Shortest time between two texts of which one had to wait, in milliseconds. */
const GAP_MS = 1000;
const FIRST_RENDER_MS = 50;

/**
 * Two live regions, one polite and one assertive. They are rendered once, since screen readers miss the text of a new
 * region.
 *
 * @tag io-live
 */
export class IoLive extends LitElement {
  static override styles = foundation;

  #waiting: Announcement[] = [];
  #quietUntil = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Announces a text, also if it equals the previous one. */
  announce(announcement: Announcement): void {
    this.#waiting.push(announcement);
    this.#speak();
  }

  /**
   * Delays announcements for `ms` milliseconds. After a file dialog, screen readers read the page's title and the focused
   * control, and drop announcements meanwhile.
   */
  hold(ms: number): void {
    this.#quietUntil = performance.now() + ms;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    if (this.#waiting.length > 0) this.#speak();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Speaks the next text; the others wait, since of two texts set at once only the last is heard. */
  #speak(): void {
    if (this.#timer) return;
    const wait = this.hasUpdated ? this.#quietUntil - performance.now() : FIRST_RENDER_MS;
    const next = wait > 0 ? undefined : this.#waiting.shift();
    const region = next && this.renderRoot.querySelector(`[aria-live='${next.urgency}']`);
    // Screen readers ignore an unchanged text; an invisible space changes it.
    if (region) region.textContent = region.textContent === next.text ? `${next.text}\u00a0` : next.text;
    if (this.#waiting.length === 0) return;
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        this.#speak();
      },
      wait > 0 ? wait : GAP_MS,
    );
  }

  protected override render() {
    return html`
      <div class="visually-hidden" role="status" aria-live="polite" aria-atomic="true"></div>
      <div class="visually-hidden" role="alert" aria-live="assertive" aria-atomic="true"></div>
    `;
  }
}
