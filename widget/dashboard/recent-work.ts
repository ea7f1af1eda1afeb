import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import type { RecentSession } from '#contract';
import { createClient } from '../../plugin-bridge/sdk/index.ts';
import { controls, foundation } from '../styles/index.ts';
import { formatAgo, formatMoment } from './format-figures.ts';
import { FollowLanguage, STRINGS } from './language.ts';
import { pageStyles } from './page.styles.ts';
import { goOnWith } from './playground-session.ts';

/**
 * Lists the sessions with stored images, newest first, each with a link to the playground. Empty without one.
 *
 * @fires {Event} recent-known - The service has answered, or failed.
 */
export class RecentWork extends LitElement {
  static override styles = [
    foundation,
    ...controls,
    pageStyles,
    css`
      .button {
        max-inline-size: 100%;
        overflow-wrap: anywhere;
        white-space: normal;
      }
    `,
  ];
  static override properties = { sessions: { state: true } };

  declare protected sessions: RecentSession[];

  constructor() {
    super();
    new FollowLanguage(this);
    this.sessions = [];
  }

  override connectedCallback(): void {
    super.connectedCallback();
    // The overview is of use without it.
    void createClient({ endpoint: '' })
      .listSessions({ limit: 10 })
      .then(({ sessions }) => {
        this.sessions = sessions.filter(({ images }) => images > 0);
      })
      .catch(() => {})
      .finally(() => this.dispatchEvent(new Event('recent-known')));
  }

  #goOn({ sessionId }: RecentSession): void {
    goOnWith(sessionId);
    this.dispatchEvent(new CustomEvent('dash-moved', { detail: 'playground', bubbles: true, composed: true }));
  }

  protected override render(): TemplateResult | typeof nothing {
    if (this.sessions.length === 0) return nothing;
    const texts = STRINGS.recent;
    return html`<section class="card" aria-labelledby="recent">
      <h2 id="recent">${texts.title}</h2>
      <p class="muted">${texts.note}</p>
      <ul class="rows">
        ${this.sessions.map(
          (session) => html`<li>
            <button type="button" class="button" @click=${() => this.#goOn(session)}>${session.firstImage}</button>
            <span class="muted">${STRINGS.overview.imageCount({ count: session.images })} ·
              <time datetime=${session.createdAt} title=${formatMoment(session.createdAt)}>${formatAgo(session.createdAt)}</time></span>
          </li>`,
        )}
      </ul>
    </section>`;
  }
}
customElements.define('recent-work', RecentWork);
