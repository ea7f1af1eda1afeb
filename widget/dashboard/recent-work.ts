import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import type { RecentSession } from '#contract';
import { createClient } from '../../plugin-bridge/sdk/index.ts';
import { controls, foundation } from '../styles/index.ts';
import { formatAgo, formatDate, formatMoment, formatNumber } from './format-figures.ts';
import { FollowLanguage, STRINGS } from './language.ts';
import { pageStyles } from './page.styles.ts';
import { continueSession } from './playground-session.ts';

/** Sessions that are shown. */
const MOST = 6;
/** Width of a thumbnail's preview, in pixels. */
const THUMB = 160;

const styles = css`
  .works {
    display: grid;
    grid-template-columns: repeat(auto-fill, minmax(min(100%, 260px), 1fr));
    gap: 16px;
  }
  article {
    display: grid;
    grid-template-columns: minmax(0, 1fr) auto;
    gap: 4px 12px;
    align-items: center;
    padding: 12px;
    border: 1px solid var(--_border);
    border-radius: var(--_radius);
  }
  .thumbs {
    grid-column: 1 / -1;
    display: grid;
    grid-template-columns: repeat(4, minmax(0, 1fr));
    gap: 4px;
    margin-block-end: 4px;
  }
  .thumbs > * {
    display: block;
    inline-size: 100%;
    block-size: auto;
    aspect-ratio: 1;
    border-radius: var(--_r1);
    background: var(--_surface-2);
    object-fit: cover;
  }
  h3 {
    grid-column: 1 / -1;
    overflow-wrap: anywhere;
  }
  article > .muted {
    grid-column: 1;
    overflow: hidden;
    font-size: var(--_t13);
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .button {
    grid-area: 3 / 2 / 5 / 3;
  }
`;

/**
 * Sessions whose images are still there, newest first, as cards to go on with in the playground. Shows nothing without one.
 *
 * @fires {Event} recent-known - The service has answered, or failed.
 */
export class RecentWork extends LitElement {
  static override styles = [foundation, ...controls, pageStyles, styles];
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
        this.sessions = sessions.filter(({ images }) => images > 0).slice(0, MOST);
      })
      .catch(() => {})
      .finally(() => this.dispatchEvent(new Event('recent-known')));
  }

  #continue({ sessionId }: RecentSession): void {
    continueSession(sessionId);
    this.dispatchEvent(new CustomEvent('dash-moved', { detail: 'playground', bubbles: true, composed: true }));
  }

  protected override render(): TemplateResult | typeof nothing {
    if (this.sessions.length === 0) return nothing;
    const texts = STRINGS.recent;
    return html`<section class="card" aria-labelledby="recent">
      <h2 id="recent">${texts.title}</h2>
      <p class="muted">${texts.note}</p>
      <ul class="works">${this.sessions.map((session, place) => html`<li>${this.#renderWork(session, place)}</li>`)}</ul>
    </section>`;
  }

  #renderWork(session: RecentSession, place: number): TemplateResult {
    const { sessionId, images, firstImage, firstImages, createdAt, expiresAt } = session;
    const count = STRINGS.overview.imageCount({ count: images });
    const until = STRINGS.recent.until({ date: formatDate(expiresAt) });
    const blank = Array.from({ length: Math.max(0, 4 - firstImages.length) });
    return html`<article aria-labelledby="work-${place}">
      <div class="thumbs" aria-hidden="true">
        ${firstImages.map((id) => html`<img src="/v1/sessions/${sessionId}/images/${id}/preview?width=${THUMB}" width="64" height="64" alt="" loading="lazy" />`)}
        ${blank.map(() => html`<span></span>`)}
      </div>
      <h3 class="title" id="work-${place}">${count} ${renderState(session)}</h3>
      <p class="muted" title=${firstImage ?? ''}><bdi>${firstImage}</bdi></p>
      <p class="muted" title=${until}><time datetime=${createdAt} title=${formatMoment(createdAt)}>${formatAgo(createdAt)}</time></p>
      <button type="button" class="button ${place === 0 ? 'primary' : ''}" aria-describedby="work-${place}" @click=${() => this.#continue(session)}>${STRINGS.recent.goOn}</button>
    </article>`;
  }
}
customElements.define('recent-work', RecentWork);

/** Renders the furthest state of a session. */
function renderState({ images, described, exported, shared }: RecentSession): TemplateResult {
  const { states } = STRINGS.recent;
  if (shared) return html`<span class="badge ring accent">${states.shared}</span>`;
  if (exported) return html`<span class="badge success">${states.exported}</span>`;
  if (described === 0) return html`<span class="badge ring">${states.uploaded}</span>`;
  return html`<span class="badge ring">${states.described({ done: formatNumber(described), total: formatNumber(images) })}</span>`;
}
