import { html, nothing, type TemplateResult } from 'lit';
import { icon } from '../../styles/index.ts';
import { pressed } from './render-toolbar.ts';
import { isDone, isRunning, type WorkbenchContext } from './workbench-context.ts';

type Step = 'analyze' | 'review' | 'export';

/** Returns the step that the work has reached: describe, then review what is suggested, then export. */
function currentStep({ optimizer, noAnalyze }: WorkbenchContext): Step {
  const { counts, limits } = optimizer;
  // Without a model, an analysis reads only what the files say.
  if (!noAnalyze && limits.describes !== false && counts.undescribed > 0) return 'analyze';
  return counts.unaccepted > 0 ? 'review' : 'export';
}

/** Renders the button that describes the images. */
export function renderAnalyze(context: WorkbenchContext): TemplateResult | typeof nothing {
  const { optimizer, i18n, noAnalyze, locked, act } = context;
  if (noAnalyze || locked) return nothing;
  const { counts, limits } = optimizer;
  const anyAnalyzed = optimizer.items.list().some(({ analyzed }) => analyzed);
  const describes = limits.describes !== false;
  const label =
    describes && anyAnalyzed && counts.undescribed > 0
      ? i18n.t('toolbar.analyze-missing', { count: counts.undescribed })
      : i18n.t(!describes ? 'toolbar.analyze-files' : anyAnalyzed ? 'toolbar.analyze-again' : 'toolbar.analyze');
  return html`<button type="button" class="button analyze ${look(context, 'analyze')}" part="button"
    aria-disabled=${isRunning(optimizer) || counts.uploaded === 0} @click=${pressed(act, 'analyze')}>${icon('sparkle')}${label}</button>`;
}

/** Renders the button that opens the review, with the number of images to review. */
export function renderReview(context: WorkbenchContext): TemplateResult | typeof nothing {
  const { optimizer, i18n, locked, act } = context;
  if (locked) return nothing;
  return html`<button type="button" class="button review ${look(context, 'review')}" part="button"
    data-count=${optimizer.counts.unaccepted || nothing} aria-disabled=${optimizer.items.visible().length === 0}
    @click=${pressed(act, 'review')}>${icon('image')}${i18n.t('reviewing.title')}</button>`;
}

/** Renders the steps of the work as buttons. The present one is solid, all others are not. */
export function renderSteps(context: WorkbenchContext): TemplateResult | typeof nothing {
  const { optimizer, i18n, act, exportFirst, locked, noSample } = context;
  if (locked) return nothing;
  const { t } = i18n;
  const { counts, cost } = optimizer;
  const waiting = optimizer.items.list().some(({ status }) => status === 'queued');
  const short = cost !== null && !cost.sufficient;
  const nothingToDo = counts.toExport === 0;
  return html`
    ${renderAnalyze(context)}
    ${renderReview(context)}
    ${
      noSample
        ? nothing
        : html`<button type="button" class="button sample" part="button" ?disabled=${counts.uploaded === 0}
            @click=${() => act('sample')}>${icon('compare')}${t('export.sample')}</button>`
    }
    ${
      waiting && nothingToDo
        ? html`<button type="button" class="button primary" part="button button-primary"
            @click=${() => act('upload')}>${icon('upload')}${t('export.upload')}</button>`
        : short && cost.affordable > 0
          ? html`<button type="button" class="button ${look(context, 'export')}" part="button button-primary"
              @click=${() => exportFirst(cost.affordable)}>${t('export.first', { count: cost.affordable })}</button>`
          : html`<button type="button" class="button export ${look(context, 'export')}" part="button button-primary"
              ?disabled=${nothingToDo || short} @click=${() => act('confirm-export')}>
              ${nothingToDo ? t('export.none') : t('export.some', { count: counts.toExport })}</button>`
    }
  `;
}

/** Solid is the present step; while something runs and after the last one, none of these is. */
function look(context: WorkbenchContext, step: Step): string {
  const { optimizer } = context;
  const busy = isRunning(optimizer) || optimizer.state === 'uploading' || isDone(optimizer);
  return !busy && currentStep(context) === step ? 'primary' : '';
}
