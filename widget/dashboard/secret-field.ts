import { css, html, LitElement, type TemplateResult } from 'lit';
import { controls, foundation } from '../styles/index.ts';
import { FollowLanguage, STRINGS } from './language.ts';

const styles = css`
  .row {
    display: flex;
    flex-wrap: wrap;
    gap: 8px;
  }
  .input,
  .input:read-only {
    flex: 1 1 320px;
    color: var(--_text);
    font-family: ui-monospace, 'SF Mono', Menlo, Consolas, monospace;
    font-size: var(--_t13);
  }
  .hint {
    min-block-size: 1.5em;
    margin-block-start: 4px;
  }
`;

/** Field of a key or link, with a button to copy it. */
export class SecretField extends LitElement {
  static override styles = [foundation, ...controls, styles];
  static override properties = { label: {}, value: {}, told: { state: true } };

  declare label: string;
  declare value: string;
  declare told: string;

  constructor() {
    super();
    new FollowLanguage(this);
    this.label = '';
    this.value = '';
    this.told = '';
  }

  protected override render(): TemplateResult {
    return html`<div class="row">
        <input class="input" dir="ltr" readonly aria-label=${this.label} .value=${this.value} @focus=${this.#select} />
        <button type="button" class="button primary" @click=${this.#copy}>${STRINGS.keys.copy}</button>
      </div>
      <p class="hint" role="status">${this.told}</p>`;
  }

  /** Focuses the button. */
  override focus(): void {
    this.renderRoot.querySelector('button')?.focus();
  }

  async #copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(this.value);
      this.told = STRINGS.keys.copied;
    } catch {
      // Without TLS or permission there is no clipboard: the text is selected to be copied by keyboard.
      this.renderRoot.querySelector('input')?.focus();
      this.told = STRINGS.keys.copyByHand;
    }
  }

  #select(event: Event): void {
    (event.target as HTMLInputElement).select();
  }
}
customElements.define('secret-field', SecretField);
