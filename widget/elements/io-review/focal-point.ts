import { html, nothing, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import { hasCrops, type Item } from '../../state/index.ts';
import { icon } from '../../styles/index.ts';
import type { RowContext } from '../io-row/index.ts';

type Context = Pick<RowContext, 'optimizer' | 'i18n'>;

/** Renders the picture. If sizes are crops, a click on it sets their centre, which a ring shows. */
export function renderPicture(item: Item, { optimizer }: Context, picture: HTMLCanvasElement | null): TemplateResult {
  const { image, focalPoint, id } = item;
  const set = ({ currentTarget, clientX, clientY }: MouseEvent) => {
    const { left, top, width, height } = (currentTarget as Element).getBoundingClientRect();
    optimizer.setFocalPoint(id, { x: round((clientX - left) / width), y: round((clientY - top) / height) });
  };
  if (!picture || !image || !hasCrops(optimizer.settings))
    return html`<div class="picture">${picture ?? icon('image')}</div>`;
  const { width, height } = image;
  const { x, y } = focalPoint ?? { x: -1, y: -1 };
  // Scaled as the picture is.
  return html`<div class="picture">${picture}<svg class="focal" viewBox="0 0 ${width} ${height}" aria-hidden="true">
    <rect width=${width} height=${height} @click=${set}></rect>
    <circle cx=${x * width} cy=${y * height} r=${Math.max(width, height) / 40}></circle>
  </svg></div>`;
}

/** Renders the centre of the crops as two sliders, for the keyboard, with a button that leaves it to the service. */
export function renderFocalPoint(
  { id, focalPoint }: Item,
  { optimizer, i18n: { t } }: Context,
): TemplateResult | typeof nothing {
  if (!hasCrops(optimizer.settings)) return nothing;
  const point = focalPoint ?? { x: 0.5, y: 0.5 };
  return html`
    <div class="centre" role="group" aria-labelledby="centre">
      <span class="label" id="centre">${t('focal.title')}</span>
      ${(['x', 'y'] as const).map(
        (name) => html`<label class="label">${t(`focal.${name}`)}
          <input type="range" dir="ltr" .value=${live(`${Math.round(point[name] * 100)}`)}
            @input=${({ target }: Event) =>
              optimizer.setFocalPoint(id, {
                ...point,
                [name]: (target as HTMLInputElement).valueAsNumber / 100,
              })} /></label>`,
      )}
      <span class="hint">${t('focal.hint')}
        <button type="button" class="link" part="button" @click=${() => optimizer.setFocalPoint(id, null)}>${t('focal.auto')}</button></span>
    </div>
  `;
}

/** Rounds a coordinate to hundredths. */
const round = (share: number) => Math.round(share * 100) / 100;
