import { html, nothing, type TemplateResult } from 'lit';
import type { Progress } from '../../state/index.ts';
import { icon } from '../../styles/index.ts';
import { renderWays } from './render-outcome.ts';
import { renderSettingsLine } from './render-settings.ts';
import { renderAnalyze, renderReview, renderSteps } from './render-steps.ts';
import { isDone, isRunning, type WorkbenchContext } from './workbench-context.ts';

/**
 * Renders the bar at the lower edge: settings, price and the steps of the work; the progress and the cancel button; or what was exported
 * and the ways to its files. Without anything to say there is no bar.
 */
export function renderBar(context: WorkbenchContext): TemplateResult | typeof nothing {
  const { optimizer } = context;
  const { state, progress } = optimizer;
  const working = isRunning(optimizer) || state === 'uploading';
  const said = working
    ? renderProgress(context, progress)
    : isDone(optimizer)
      ? renderDone(context)
      : renderCost(context);
  const ways = working
    ? renderStops(context)
    : isDone(optimizer)
      ? html`${renderAnalyze(context)}${renderReview(context)}${renderWays(context)}`
      : renderSteps(context);
  if (said === nothing && ways === nothing) return nothing;
  return html`<div class="bar">
    <div class="price">${working ? nothing : renderSettingsLine(context)}${said}</div>
    <div class="ways">${ways}</div>
  </div>`;
}

function renderDone({ optimizer, i18n }: WorkbenchContext): TemplateResult {
  const { t, formatBytes } = i18n;
  const { counts, results } = optimizer;
  const saved = results.reduce((sum, { savedBytes }) => sum + savedBytes, 0);
  return html`
    <p class="numbers"><strong>${t('announce.done.export', { count: counts.exported })}</strong>
      ${saved > 0 ? html`<bdi>${t('bar.saved', { bytes: formatBytes(saved) })}</bdi>` : nothing}</p>
  `;
}

function renderCost({
  optimizer,
  i18n,
  act,
  costLoading,
  costFailed,
}: WorkbenchContext): TemplateResult | typeof nothing {
  const { balance, counts } = optimizer;
  if (counts.toExport === 0) {
    if (balance === null) return nothing;
    return html`<p class="muted numbers">${i18n.t('cost.balance', { count: balance })}</p>`;
  }
  return html`
    <io-cost exportparts="cost" .i18n=${i18n} .cost=${optimizer.cost} ?loading=${costLoading}
      ?failed=${costFailed} @io-cost-retry=${() => act('check-cost')}><slot name="credits" slot="credits"></slot></io-cost>
  `;
}

function renderProgress({ optimizer, i18n }: WorkbenchContext, progress: Progress | null): TemplateResult {
  const { t, formatBytes } = i18n;
  const phase = progress?.phase ?? 'upload';
  const text = optimizer.cancelling
    ? t('bar.cancelling')
    : optimizer.offline
      ? t('row.waiting-offline')
      : optimizer.paused
        ? t('bar.paused')
        : progress
          ? t(`bar.${phase}`, { done: Math.min(progress.done + 1, progress.total), total: progress.total })
          : t('bar.starting');
  const bytes =
    phase === 'upload' && progress?.totalBytes && progress.loadedBytes
      ? t('bar.bytes', { loaded: formatBytes(progress.loadedBytes ?? 0), total: formatBytes(progress.totalBytes) })
      : '';
  return html`
    <div class="running">
      <p class="numbers"><strong>${text}</strong> <bdi class="muted">${bytes}</bdi></p>
      <progress part="progress" max="1" value=${progress?.fraction ?? nothing} aria-label=${text}></progress>
    </div>
  `;
}

function renderStops(context: WorkbenchContext): TemplateResult | typeof nothing {
  const { optimizer, i18n, act, locked } = context;
  if (locked) return nothing;
  const { t } = i18n;
  const uploading = optimizer.state === 'uploading';
  return html`
    ${optimizer.state === 'analyzing' ? renderAnalyze(context) : nothing}
    ${
      uploading
        ? html`<button type="button" class="button" part="button"
            @click=${() => act(optimizer.paused ? 'resume' : 'pause')}>
            ${t(optimizer.paused ? 'action.resume' : 'action.pause')}</button>`
        : nothing
    }
    <button type="button" class="button" part="button" @click=${() => act('cancel')}>${icon('close')}${t('action.cancel')}</button>
    ${renderReview(context)}
  `;
}
