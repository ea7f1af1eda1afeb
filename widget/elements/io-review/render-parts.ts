import { html, nothing, type TemplateResult } from 'lit';
import type { I18n } from '../../i18n/index.ts';
import type { Item } from '../../state/index.ts';
import { icon } from '../../styles/index.ts';
import { describeCarried, describeReview, type RowContext } from '../io-row/index.ts';

/** Renders the buttons to the images before and after. They keep the focus at the ends, where they do nothing. */
export function renderSteps(
  { t }: I18n,
  can: { back: boolean; on: boolean },
  step: (by: 1 | -1) => void,
): TemplateResult[] {
  return (['previous', 'next'] as const).map((name) => {
    const label = t(`compare.${name}`);
    const able = name === 'next' ? can.on : can.back;
    return html`<button type="button" class="button quiet icon-only ${name}" part="button" aria-label=${label} title=${label}
      aria-disabled=${!able} @click=${() => able && step(name === 'next' ? 1 : -1)}>${icon('down')}</button>`;
  });
}

/** Renders the end of a review. Page Up leads back to the last image. */
export function renderEnd(text: string, { t }: I18n, go: { close(): void; back(): void }): TemplateResult {
  const onKeydown = (event: KeyboardEvent) => {
    if (event.key !== 'PageUp') return;
    event.preventDefault();
    go.back();
  };
  return html`
    <div class="end" @keydown=${onKeydown}>
      ${icon('check')}
      <p class="numbers">${text}</p>
      <div class="ways">
        <button type="button" class="button primary large close" part="button button-primary"
          @click=${go.close}>${t('action.close')}</button>
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
