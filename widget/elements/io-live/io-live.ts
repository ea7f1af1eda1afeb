import { css, html, LitElement } from 'lit';
import type { Announcement } from '../../state/index.ts';
import { foundation } from '../../styles/index.ts';

/**
 * Two live regions, one polite and one assertive. They are rendered once, since screen readers miss the text of a new
 * region.
 *
 * @tag io-live
 */
export class IoLive extends LitElement {
  static override styles = [
    foundation,
    css`
      :host {
        display: block;
      }
    `,
  ];

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

  #speak(): void {
    const wait = this.#quietUntil - performance.now();
    if (wait > 0 || !this.hasUpdated) {
      this.#timer ??= setTimeout(
        () => {
          this.#timer = undefined;
          this.#speak();
        },
        Math.max(wait, 50),
      );
      return;
    }
    for (const { text, urgency } of this.#waiting.splice(0)) {
      const region = this.renderRoot.querySelector(`[aria-live='${urgency}']`);
      if (!region) continue;
      // Screen readers ignore an unchanged text; an invisible space changes it.
      region.textContent = region.textContent === text ? `${text}\u00a0` : text;
    }
  }

  protected override render() {
    return html`
      <div class="visually-hidden" role="status" aria-live="polite" aria-atomic="true"></div>
      <div class="visually-hidden" role="alert" aria-live="assertive" aria-atomic="true"></div>
    `;
  }
}
