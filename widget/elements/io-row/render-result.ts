import { html, nothing, type TemplateResult } from 'lit';
import type { ImageResult } from '#contract';
import { type Item, keyOfFile } from '../../state/index.ts';
import { icon } from '../../styles/index.ts';
import { htmlOf } from '../io-take-away/index.ts';
import { renderDifference } from '../render-difference.ts';
import type { RowContext } from './row-context.ts';

/** Marks a download button as busy until its file is saved. */
const saving =
  (save: () => Promise<void>) =>
  async ({ currentTarget }: Event) => {
    const button = currentTarget as Element;
    button.ariaBusy = 'true';
    await save();
    button.ariaBusy = null;
  };

/** Renders the result of an image: sizes before and after, and the buttons for its files. */
export function renderResult(item: Item, result: ImageResult, context: RowContext): TemplateResult | typeof nothing {
  const { i18n, mode, noDownload, optimizer, locked, download, copy } = context;
  const { t, formatBytes, formatPercent } = i18n;
  const full = result.variants.find(({ name }) => name === 'full');
  const others = result.variants.filter((variant) => variant !== full);
  const saved = result.savedPercent / 100;
  const larger = saved < -0.0049;
  const key = result.keptOriginal ? 'result.kept' : larger ? 'result.larger' : 'result.smaller';
  const replacement = item.replacement;
  const percent = formatPercent(Math.abs(saved));
  return html`
    <div class="result">
      ${
        full
          ? html`<p class="saving numbers">
              <strong>${t('compare.from-to', { from: formatBytes(result.original.size), to: formatBytes(full.size) })}</strong>
              <span class="${saved > 0 ? 'good' : larger ? 'worse' : 'muted'}">${t(key, { percent })}</span>
              ${renderDifference(full.quality?.score, i18n, 'muted')}
              <bdi class="muted produced">${full.filename}</bdi>
            </p>`
          : nothing
      }
      <div class="ways">
        ${
          mode === 'replace' && !locked && result.variants.length > 0
            ? html`<button type="button" class="button" part="button" ?disabled=${replacement?.status === 'pending'}
                aria-label=${t('row.replace', { name: item.name })} @click=${() => void optimizer.replace(item.id)}>
                ${icon('replace')}${t('action.replace')}</button>`
            : nothing
        }
        ${
          full
            ? html`<button type="button" class="button quiet" part="button" data-control="copy-html"
                @click=${() => void copy(htmlOf(item, 'picture'))}>${t('take.copy', { what: '<picture>' })}</button>`
            : nothing
        }
        ${
          noDownload || !full
            ? nothing
            : html`<button type="button" class="button ${mode === 'replace' ? 'quiet' : ''}" part="button"
                data-control="download" aria-label=${t('row.download', { name: full.filename })}
                @click=${saving(() => download(item))}>${icon('download')}${t('action.download')}</button>`
        }
      </div>
      ${replacement?.status === 'failed' ? html`<p class="error wide">${replacement.message}</p>` : nothing}
      ${
        others.length > 0 && !noDownload
          ? html`<details class="wide">
              <summary>${t('result.files', { count: others.length })}</summary>
              <ul class="variants">
                ${others.map(
                  (variant) =>
                    html`<li><button type="button" class="button quiet numbers" part="button"
                      aria-label=${t('row.download', { name: variant.filename })}
                      @click=${saving(() => download(item, keyOfFile(result, variant)))}>
                      ${icon('download')}<bdi>${variant.width} × ${variant.height} ${variant.format?.toUpperCase()}</bdi>
                      <bdi class="muted">${formatBytes(variant.size)}</bdi></button></li>`,
                )}
              </ul>
            </details>`
          : nothing
      }
      ${result.warnings.map((warning) => html`<p class="hint wide">${t(`warning.${warning.code}`) === `warning.${warning.code}` ? warning.message : t(`warning.${warning.code}`)}</p>`)}
    </div>
  `;
}
