import { css, html, LitElement, type TemplateResult } from 'lit';
import { controls, foundation, icon } from '../styles/index.ts';
import { FollowLanguage, STRINGS } from './language.ts';

const styles = css`
  dialog {
    inline-size: min(520px, calc(100vw - 24px));
    max-block-size: calc(100vh - 24px);
    padding: 0;
    border: 1px solid var(--_border);
    border-radius: var(--_r3);
    background: var(--_surface);
    color: var(--_text);
    font: inherit;
    box-shadow: 0 32px 80px -24px rgb(0 0 0 / 45%);
  }
  dialog::backdrop {
    background: rgb(12 14 16 / 48%);
  }
  .inside {
    display: grid;
    gap: 16px;
    padding: 24px clamp(16px, 4vw, 24px);
  }
  .bar {
    display: flex;
    align-items: flex-start;
    justify-content: space-between;
    gap: 12px;
  }
  h2 {
    padding-block-start: 4px;
    font-size: var(--_t20);
    font-weight: 600;
    line-height: 1.4;
    letter-spacing: -0.01em;
    overflow-wrap: anywhere;
  }
`;

/** Modal dialog. Escape and the cross close it, and the focus returns to its previous place. */
export class DashDialog extends LitElement {
  static override styles = [foundation, ...controls, styles];
  static override properties = { heading: {}, locked: { type: Boolean } };

  declare heading: string;
  /** Prevents closing by the user, for content that is shown once. */
  declare locked: boolean;
  #isNotified = false;

  constructor() {
    super();
    new FollowLanguage(this);
    this.heading = '';
    this.locked = false;
  }

  protected override render(): TemplateResult {
    return html`<dialog aria-labelledby="heading" @close=${this.#onClose} @cancel=${this.#cancel}>
      <div class="inside">
        <div class="bar">
          <h2 id="heading">${this.heading}</h2>
          <button class="button quiet icon-only" ?hidden=${this.locked} @click=${this.close}>
            ${icon('close')}<span class="visually-hidden">${STRINGS.close}</span>
          </button>
        </div>
        <slot></slot>
      </div>
    </dialog>`;
  }

  /** Opens the dialog and focuses its first control. */
  protected override firstUpdated(): void {
    const dialog = this.renderRoot.querySelector('dialog') as HTMLDialogElement;
    dialog.showModal();
    const first = this.querySelector<HTMLElement>('[autofocus], dash-form');
    void (first instanceof LitElement ? first.updateComplete : Promise.resolve()).then(() => first?.focus());
  }

  /** Closes the dialog and reports it at once, since the browser's event is delayed and the dialog may be open again by then. */
  close(): void {
    this.renderRoot.querySelector('dialog')?.close();
    this.#tellClosed();
  }

  #cancel(event: Event): void {
    event.preventDefault();
    if (!this.locked) this.close();
  }

  /** Browsers close a dialog whose closing was refused once: then it opens again. */
  #onClose({ target }: Event): void {
    if (this.locked && !this.#isNotified) (target as HTMLDialogElement).showModal();
    else this.#tellClosed();
  }

  #tellClosed(): void {
    if (this.#isNotified) return;
    this.#isNotified = true;
    this.dispatchEvent(new CustomEvent('dash-close'));
  }
}
customElements.define('dash-dialog', DashDialog);
