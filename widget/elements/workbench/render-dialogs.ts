import { html, nothing, type TemplateResult } from 'lit';
import { icon } from '../../styles/index.ts';
import type { ComparePair } from '../io-compare/index.ts';
import { nameSettings } from './render-settings.ts';
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
  if (dialog.name === 'compare') return renderComparison(context, dialog.pairs, dialog.index, close);
  return dialog.name === 'export' ? renderExport(context, dialog.first, close) : renderClear(context, close);
}

function renderExport(
  { optimizer, i18n, costFailed }: WorkbenchContext,
  first: number | null,
  close: (event: Event) => void,
): TemplateResult {
  const { t } = i18n;
  const { cost, settings, counts } = optimizer;
  const images = first ?? cost?.images ?? counts.toExport;
  const credits = cost && images * cost.costPerImage;
  const after = cost && credits !== null ? cost.balance - credits : null;
  return html`
    <dialog class="dialog" aria-labelledby="dialog-title" @close=${close}>
      <h2 id="dialog-title">${t('confirm.export', { count: images })}</h2>
      <dl class="bill numbers">
        <div><dt>${t('confirm.output')}</dt><dd>${nameSettings(settings, i18n)}</dd></div>
        <div><dt>${t('confirm.cost')}</dt><dd><strong>${credits === null ? t(costFailed ? 'cost.failed' : 'cost.loading') : t('cost.credits', { count: credits })}</strong></dd></div>
        ${after === null ? nothing : html`<div><dt>${t('confirm.after')}</dt><dd>${t('cost.credits', { count: after })}</dd></div>`}
      </dl>
      <p class="muted small">${t('confirm.note')}</p>
      <form method="dialog" class="ways">
        <button class="button large" part="button" value="no">${t('action.cancel')}</button>
        <button class="button primary large" part="button button-primary" value="yes" autofocus
          ?disabled=${after !== null && after < 0}>
          ${credits === null ? t('confirm.export-now') : t('confirm.yes', { count: credits })}</button>
      </form>
    </dialog>
  `;
}

function renderClear({ optimizer, i18n }: WorkbenchContext, close: (event: Event) => void): TemplateResult {
  const { t } = i18n;
  return html`
    <dialog class="dialog" aria-labelledby="dialog-title" @close=${close}>
      <h2 id="dialog-title">${t('confirm.clear', { count: optimizer.counts.total })}</h2>
      <p>${t('confirm.clear-note')}</p>
      <form method="dialog" class="ways">
        <button class="button large" part="button" value="no" autofocus>${t('confirm.keep')}</button>
        <button class="button danger solid large" part="button button-danger" value="yes">
          ${t('confirm.clear-yes')}</button>
      </form>
    </dialog>
  `;
}

function renderComparison(
  { i18n }: WorkbenchContext,
  pairs: readonly ComparePair[],
  index: number,
  close: (event: Event) => void,
): TemplateResult {
  return html`
    <dialog class="dialog wide" aria-labelledby="dialog-title" @close=${close}>
      <form method="dialog" class="top">
        <h2 id="dialog-title">${i18n.t('compare.dialog')}</h2>
        <button class="button quiet icon-only" part="button" aria-label=${i18n.t('action.close')} title=${i18n.t('action.close')}>${icon('close')}</button>
      </form>
      <io-compare .i18n=${i18n} .pairs=${pairs} .index=${index} exportparts="compare, compare-handle"></io-compare>
    </dialog>
  `;
}

function renderReview(
  { i18n, rows }: WorkbenchContext,
  { ids, start }: { ids: readonly string[]; start: string | null },
  close: (event: Event) => void,
): TemplateResult {
  const leave = ({ target }: Event) => (target as Element).closest('dialog')?.close();
  return html`
    <dialog class="dialog whole" aria-label=${i18n.t('reviewing.title')} @close=${close}>
      <io-review .context=${rows} .ids=${ids} .start=${start} exportparts="field, input, badge, button, button-primary"
        @review-close=${leave}></io-review>
    </dialog>
  `;
}
