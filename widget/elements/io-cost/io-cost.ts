import { html, nothing, type TemplateResult } from 'lit';
import type { Cost } from '../../state/index.ts';
import { controls, foundation, icon } from '../../styles/index.ts';
import { TranslatedElement } from '../translated-element.ts';
import { costStyles } from './io-cost.styles.ts';

/**
 * Shows the cost of an export: images, credits, balance afterwards, missing credits. Does not request anything itself.
 *
 * @tag io-cost
 * @fires {CustomEvent<null>} io-cost-retry - The user asks to calculate the cost again, after `failed`.
 * @csspart cost - The line with the figures.
 * @slot credits - Link to buy credits; shown if there are too few.
 */
export class IoCost extends TranslatedElement {
  static override styles = [foundation, ...controls, costStyles];
  static override properties = {
    cost: { attribute: false },
    loading: { type: Boolean },
    failed: { type: Boolean },
  };

  /** Response of the service; null without one. */
  declare cost: Cost | null;
  /** True during a request; the previous cost stays visible. */
  declare loading: boolean;
  /** True if the last request failed. */
  declare failed: boolean;

  constructor() {
    super();
    this.cost = null;
    this.loading = false;
    this.failed = false;
  }

  protected override render(): TemplateResult {
    return html`<div class="cost numbers" part="cost" aria-busy=${this.loading}>${this.#renderState()}</div>`;
  }

  #renderState(): TemplateResult {
    const { t } = this.i18n;
    if (this.failed) {
      return html`
        ${icon('alert')}<span>${t('cost.failed')}</span>
        <button type="button" class="link" @click=${this.#retry}>${t('action.retry')}</button>
      `;
    }
    if (this.cost && this.cost.images > 0) return this.#renderCost(this.cost);
    return this.loading ? html`${icon('coins')}<span class="muted">${t('cost.loading')}</span>` : html``;
  }

  #renderCost({ images, cost, balance, balanceAfter, sufficient, shortfall }: Cost): TemplateResult {
    const { t } = this.i18n;
    return html`
      ${icon(sufficient ? 'coins' : 'alert')}
      <ul class=${this.loading ? 'figures old' : 'figures'}>
        <li>${t('cost.images', { count: images })}</li>
        <li><strong>${cost === 0 ? t('cost.free') : t('cost.credits', { count: cost })}</strong></li>
        ${cost > 0 && sufficient ? html`<li>${t('cost.left', { count: balanceAfter })}</li>` : nothing}
        ${sufficient ? nothing : html`<li class="short">${t('cost.short', { count: shortfall })}</li>`}
      </ul>
      ${
        sufficient
          ? nothing
          : html`<p class="more"><span>${t('cost.balance', { count: balance })}</span>
            <button type="button" class="link" @click=${this.#retry}>${t('notice.check-cost')}</button> <slot name="credits"></slot></p>`
      }
    `;
  }

  #retry(): void {
    this.dispatchEvent(new CustomEvent('io-cost-retry', { bubbles: true }));
  }
}
