import { html, nothing, type TemplateResult } from 'lit';
import type { Item } from '../../state/index.ts';
import { icon } from '../../styles/index.ts';
import { describeStatus } from './describe-item.ts';
import type { RowContext } from './row-context.ts';

/** Renders an image of the grid: its picture, which opens the review, its name, text and state. */
export function renderCard(item: Item, context: RowContext, picture: HTMLCanvasElement | null): TemplateResult {
  const { i18n, locked, review } = context;
  const { t } = i18n;
  const status = describeStatus(item, i18n);
  const { alt, decorative } = item.metadata;
  const text = decorative ? t('field.decorative') : alt || t('field.alt-missing');
  return html`
    <div class="card" part="row" role="group" aria-labelledby="name">
      <button type="button" class="thumb opens" part="thumb" data-control="open" aria-label="${t('reviewing.title')}: ${item.name}"
        ?disabled=${locked} @click=${() => review(item)}>${picture ?? icon('image')}</button>
      ${renderSelect(item, context)}
      <p class="name" id="name"><bdi>${item.name}</bdi></p>
      <p class="facts excerpt ${alt || decorative ? '' : 'long'}"><bdi>${item.error?.message ?? text}</bdi></p>
      ${status ? html`<span class="badge ${status.tone} numbers" part="badge">${status.text}</span>` : nothing}
    </div>
  `;
}

/** Renders the box that selects an image, while images can be selected. With Shift it takes all since the last one. */
export function renderSelect(
  { id, name, selected }: Item,
  { selecting, i18n }: RowContext,
): TemplateResult | typeof nothing {
  if (!selecting) return nothing;
  const choose = (event: MouseEvent) => {
    const box = event.target as HTMLInputElement;
    const detail: RowSelectDetail = { id, selected: box.checked, range: event.shiftKey };
    box.dispatchEvent(new CustomEvent('row-select', { detail, bubbles: true, composed: true }));
  };
  return html`<label class="select"><input type="checkbox" part="input" data-control="select" .checked=${selected}
    aria-label=${i18n.t('select.one', { name })} @click=${choose} /></label>`;
}

/** Details of `row-select`. `range`: all images since the last one that was chosen. */
export interface RowSelectDetail {
  id: string;
  selected: boolean;
  range: boolean;
}
