import { html, nothing, type TemplateResult } from 'lit';
import type { Item } from '../../state/index.ts';
import { icon } from '../../styles/index.ts';
import { describeCarried, describeReview, type RowContext } from '../io-row/index.ts';
import { renderClose } from '../render-close.ts';
import { renderLanguages } from '../render-languages.ts';
import { renderStep } from '../render-step.ts';

/** Values of the head. `back`, `on`: there is an image before and after. */
interface Head {
  position: string;
  done: number;
  count: number;
  back: boolean;
  on: boolean;
  step(by: 1 | -1): void;
  close(): void;
}

/** Renders the head of the review: place, progress, and the buttons to other images. Those keep the focus at the ends, where they do nothing. */
export function renderHead(
  { optimizer, i18n }: Pick<RowContext, 'i18n' | 'optimizer'>,
  { position, done, count, back, on, step, close }: Head,
): TemplateResult {
  const { t } = i18n;
  const checked = t('reviewing.checked', { done, total: count });
  return html`
    <header>
      <p class="where"><strong class="numbers">${position || t('reviewing.title')}</strong> <span class="muted numbers">${checked}</span></p>
      ${renderLanguages(optimizer, i18n)}
      ${position ? [renderStep('previous', back, step, i18n), renderStep('next', on, step, i18n)] : nothing}
      ${renderClose(i18n, close)}
      <progress part="progress" max=${count || 1} value=${done} aria-label=${checked}></progress>
    </header>
  `;
}

/** Next step after a review: a comparison of a sample, the export, or back to the list. */
export type AfterReview = 'sample' | 'confirm-export' | null;

/** Renders the end of a review with the next steps. The focus is at the button that closes it: one Enter too many pays nothing. */
export function renderEnd(
  text: string,
  { optimizer, i18n: { t } }: Pick<RowContext, 'i18n' | 'optimizer'>,
  go: { on(next: AfterReview): void; back(): void },
  noSample: boolean,
): TemplateResult {
  const onKeydown = (event: KeyboardEvent) => {
    if (event.key !== 'PageUp') return;
    event.preventDefault();
    go.back();
  };
  const { toExport } = optimizer.counts;
  return html`
    <div class="end" @keydown=${onKeydown}>
      ${icon('check')}
      <h2 class="numbers">${text}</h2>
      <div class="on">
        <button type="button" class="button large close" part="button" @click=${() => go.on(null)}>${t('action.close')}</button>
        ${
          toExport === 0
            ? nothing
            : html`${
                noSample
                  ? nothing
                  : html`<button type="button" class="button large" part="button" @click=${() => go.on('sample')}>
                      ${icon('compare')}${t('reviewing.compare')}</button>`
              }
              <button type="button" class="button primary large" part="button button-primary"
                @click=${() => go.on('confirm-export')}>${t('export.some', { count: toExport })}</button>`
        }
      </div>
    </div>
  `;
}

/** Renders the name of an image, why it is to be reviewed, what its file carries, and whether its texts are accepted. */
export function renderAbout(
  item: Item,
  { i18n, optimizer }: Pick<RowContext, 'i18n' | 'optimizer'>,
  accepted: boolean,
): TemplateResult {
  const review = describeReview(item, i18n);
  return html`
    <p class="about" id="about"><bdi class="name">${item.relativePath || item.name}</bdi>
      ${review ? html`<span class="review">${review}</span>` : nothing}
      ${describeCarried(item, optimizer.settings, i18n).map((text) => html`<span class="hint">${text}</span>`)}
      ${accepted ? html`<span class="badge success" part="badge">${icon('check')}${i18n.t('row.checked')}</span>` : nothing}
    </p>
  `;
}
