import { html, nothing, type TemplateResult } from 'lit';
import { canExport, type Item, isMissingText, itemsOf, type Settings } from '../../state/index.ts';
import type { AfterReview } from '../io-review/index.ts';
import { renderComparison } from './render-comparison.ts';
import { nameSettings, renderSettings } from './render-settings.ts';
import { renderTexts } from './render-texts.ts';
import { renderTop } from './render-top.ts';
import type { WorkbenchContext } from './workbench-context.ts';

/** Renders the open dialog as a native one, which keeps the focus inside. Its return value is `yes` if it was confirmed. */
export function renderDialog(context: WorkbenchContext): TemplateResult | typeof nothing {
  const { dialog, closed } = context;
  if (!dialog) return nothing;
  const close = ({ target }: Event) => {
    const { open, returnValue } = target as HTMLDialogElement;
    // The event is delayed: the dialog may be open again.
    if (!open) closed(returnValue === 'yes');
  };
  if (dialog.name === 'review') return renderReview(context, dialog, close);
  if (dialog.name === 'take-away') return renderTakeAway(context, close);
  if (dialog.name === 'settings') return renderSettings(context, close);
  if (dialog.name === 'texts') return renderTexts(context, close);
  if (dialog.name === 'compare') return renderComparison(context, dialog, close);
  return (dialog.name === 'export' ? renderExport : renderClear)(context, dialog, close);
}

function renderExport(
  { optimizer, i18n, costFailed, exportFirst, rows }: WorkbenchContext,
  { ids, first }: { ids?: readonly string[]; first?: number },
  close: (event: Event) => void,
): TemplateResult {
  const { t } = i18n;
  const { cost, settings, items } = optimizer;
  const chosen = itemsOf(items, ids).filter(canExport).slice(0, first);
  const images = chosen.length;
  const credits = cost && images * cost.costPerImage;
  const after = cost && credits !== null ? cost.balance - credits : null;
  const short = after !== null && after < 0 ? -after : 0;
  const affordable = cost?.affordable ?? 0;
  const { missing, larger, unsure } = warningsOf(chosen, settings);
  return html`
    <dialog class="dialog" aria-labelledby="dialog-title" @close=${close}>
      <h2 id="dialog-title">${t('confirm.export', { count: images })}</h2>
      <dl class="bill numbers">
        <div><dt>${t('confirm.output')}</dt><dd>${nameSettings(settings, i18n)}</dd></div>
        <div><dt>${t('confirm.cost')}</dt><dd><strong>${credits === null ? t(costFailed ? 'cost.failed' : 'cost.loading') : t('cost.credits', { count: credits })}</strong></dd></div>
        <div><dt>${t('confirm.after')}</dt><dd class=${short ? 'error' : ''}>${
          short ? t('cost.short', { count: short }) : after === null ? '–' : t('cost.credits', { count: after })
        }</dd></div>
      </dl>
      ${larger ? html`<p>${t('confirm.larger', { count: larger, format: t(`settings.format-${settings.format}`) })}</p>` : nothing}
      ${
        missing
          ? html`<form method="dialog"><p>${t('confirm.missing', { count: missing })}
              <button class="link" part="button" @click=${() => optimizer.setFilter('missing')}>${t('confirm.show')}</button></p></form>`
          : nothing
      }
      ${
        unsure[0]
          ? html`<p>${t('confirm.review', { count: unsure.length })}
              <button type="button" class="link" part="button" @click=${() => unsure[0] && rows.review(unsure[0])}>${t('reviewing.title')}</button></p>`
          : nothing
      }
      <p class="muted small">${t('confirm.note')}</p>
      <form method="dialog" class="ways">
        <button class="button large" part="button" value="no">${t('action.cancel')}</button>
        ${
          short && affordable > 0
            ? html`<button type="button" class="button primary large" part="button button-primary" autofocus
                @click=${() => exportFirst(affordable, ids)}>${t('export.first', { count: affordable })}</button>`
            : html`<button class="button primary large" part="button button-primary" value="yes" autofocus
                ?disabled=${short > 0}>
                ${credits === null ? t('confirm.export-now') : t('confirm.yes', { count: credits })}</button>`
        }
      </form>
    </dialog>
  `;
}

/** Formats by the space they usually take. */
const BY_SPACE = ['avif', 'webp', 'jpeg', 'png'];

/** Counts the images of the next export without alternative text, with texts to check, and those that it will probably make larger. */
function warningsOf(chosen: readonly Item[], { format }: Settings) {
  const place = BY_SPACE.indexOf(format);
  const grows = ({ image }: Item) => {
    const from = BY_SPACE.indexOf(image?.format ?? '');
    return from >= 0 && from < place;
  };
  return {
    missing: chosen.filter(isMissingText).length,
    larger: chosen.filter(grows).length,
    unsure: chosen.filter(({ needsReview }) => needsReview.length > 0),
  };
}

function renderTakeAway(
  { optimizer, i18n, noDownload, save }: WorkbenchContext,
  close: (event: Event) => void,
): TemplateResult {
  return html`
    <dialog class="dialog" aria-labelledby="dialog-title" @close=${close}>
      ${renderTop(i18n, 'take.title')}
      <io-take-away .i18n=${i18n} .optimizer=${optimizer} .save=${save} .noDownload=${noDownload} exportparts="button"></io-take-away>
    </dialog>
  `;
}

function renderClear(
  { optimizer, i18n }: WorkbenchContext,
  { ids }: { ids?: readonly string[] },
  close: (event: Event) => void,
): TemplateResult {
  const { t } = i18n;
  return html`
    <dialog class="dialog" aria-labelledby="dialog-title" @close=${close}>
      <h2 id="dialog-title">${t('confirm.clear', { count: ids?.length ?? optimizer.counts.total })}</h2>
      <p>${t('confirm.clear-note')}</p>
      <form method="dialog" class="ways">
        <button class="button large" part="button" value="no" autofocus>${t('confirm.keep')}</button>
        <button class="button danger solid large" part="button button-danger" value="yes">
          ${t(ids ? 'action.remove' : 'confirm.clear-yes')}</button>
      </form>
    </dialog>
  `;
}

function renderReview(
  { i18n, rows, noSample, act }: WorkbenchContext,
  { ids, start }: { ids: readonly string[]; start: string | null },
  close: (event: Event) => void,
): TemplateResult {
  const leave = ({ target, detail }: CustomEvent<AfterReview>) => {
    // The question before an export takes the place of this dialog; a sample is awaited at its button.
    if (detail !== 'confirm-export') (target as Element).closest('dialog')?.close();
    if (detail) act(detail);
  };
  return html`
    <dialog class="dialog whole" aria-label=${i18n.t('reviewing.title')} @close=${close}>
      <io-review .context=${rows} .ids=${ids} .start=${start} .noSample=${noSample} exportparts="field, input, badge, button, button-primary"
        @review-close=${leave}></io-review>
    </dialog>
  `;
}
