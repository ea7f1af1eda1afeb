import { html, nothing, type TemplateResult } from 'lit';
import type { ImageResult } from '#contract';
import type { I18n } from '../../i18n/index.ts';
import { type Item, keyOfFile } from '../../state/index.ts';
import { icon } from '../../styles/index.ts';
import { htmlOf } from '../io-take-away/index.ts';
import { nameSaving } from '../name-saving.ts';
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

/** Renders what was saved, the sizes of an image before and after, and the name of the new file. In a narrow row its end is cut. */
export function renderSaving(
  { original, savedPercent, keptOriginal, variants }: ImageResult,
  i18n: I18n,
): TemplateResult | typeof nothing {
  const { t, formatBytes } = i18n;
  const full = variants.find(({ name }) => name === 'full');
  if (!full) return nothing;
  return html`
    <p class="saving numbers">
      <span class="${savedPercent > 0.49 ? 'good' : savedPercent < -0.49 ? 'worse' : 'muted'}">${keptOriginal ? t('result.kept') : nameSaving(original.size, full.size, i18n)}</span>
      <span>${t('compare.from-to', { from: formatBytes(original.size), to: formatBytes(full.size) })}</span>
      ${renderDifference(full.quality ?? {}, i18n)}
      <bdi class="muted produced">${full.filename}</bdi>
    </p>
  `;
}

/** Renders what can be done with the file of the whole image: replace the original in the CMS, or download. */
export function renderWays(item: Item, { variants }: ImageResult, context: RowContext): TemplateResult {
  const { mode, noDownload, optimizer, locked, download } = context;
  const { t } = context.i18n;
  const full = variants.find(({ name }) => name === 'full');
  return html`
    ${
      mode === 'replace' && !locked && variants.length > 0
        ? html`<button type="button" class="button" part="button" ?disabled=${item.replacement?.status === 'pending'}
            aria-label=${t('row.replace', { name: item.name })} @click=${() => void optimizer.replace(item.id)}>
            ${icon('replace')}${t('action.replace')}</button>`
        : nothing
    }
    ${
      noDownload || !full
        ? nothing
        : html`<button type="button" class="button quiet icon-only" part="button" data-control="download"
            aria-label=${t('row.download', { name: full.filename })} title=${t('action.download')}
            @click=${saving(() => download(item))}>${icon('download')}</button>`
    }
  `;
}

/** Renders the other files of the result, its HTML and what was told about it. */
export function renderFiles(item: Item, result: ImageResult, context: RowContext): TemplateResult {
  const { i18n, noDownload, download, copy } = context;
  const { t, formatBytes } = i18n;
  const { replacement } = item;
  const full = result.variants.some(({ name }) => name === 'full');
  const others = result.variants.filter(({ name }) => name !== 'full');
  return html`
    <div class="result">
      ${replacement?.status === 'failed' ? html`<p class="error wide">${replacement.message}</p>` : nothing}
      ${result.warnings.map((warning) => html`<p class="hint wide">${t(`warning.${warning.code}`) === `warning.${warning.code}` ? warning.message : t(`warning.${warning.code}`)}</p>`)}
      <div class="files">
        ${
          full
            ? html`<button type="button" class="button quiet" part="button" data-control="copy-html"
                @click=${() => void copy(htmlOf(item, 'picture'))}>${t('take.copy', { what: '<picture>' })}</button>`
            : nothing
        }
        ${(noDownload ? [] : others).map((variant) => {
          const { width, height, format, size, filename } = variant;
          const facts = `${width} × ${height} ${format?.toUpperCase()} ${formatBytes(size)}`;
          return html`<button type="button" class="button quiet numbers" part="button"
            aria-label="${t('row.download', { name: filename })} ${facts}"
            @click=${saving(() => download(item, keyOfFile(result, variant)))}>${icon('download')}<bdi>${facts}</bdi></button>`;
        })}
      </div>
    </div>
  `;
}
