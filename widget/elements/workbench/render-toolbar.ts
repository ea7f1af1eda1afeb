import { html, nothing, type TemplateResult } from 'lit';
import type { ListFilter } from '../../state/index.ts';
import { icon } from '../../styles/index.ts';
import { renderLanguages } from '../render-languages.ts';
import { renderTake } from './render-outcome.ts';
import { isDone, isRunning, type WorkbenchAction, type WorkbenchContext } from './workbench-context.ts';

/** Runs an action unless its button has `aria-disabled`. A button with `disabled` would lose the focus. */
export const pressed =
  (act: WorkbenchContext['act'], action: WorkbenchAction) =>
  ({ currentTarget }: Event) => {
    if ((currentTarget as Element).ariaDisabled !== 'true') act(action);
  };

/** Renders the actions on all images. */
export function renderToolbar(context: WorkbenchContext): TemplateResult {
  const { optimizer, i18n, locked, noAnalyze, act } = context;
  const { t } = i18n;
  const { counts } = optimizer;
  const running = isRunning(optimizer);
  const anyAnalyzed = optimizer.items.list().some(({ analyzed }) => analyzed);
  const retryable = optimizer.items
    .list()
    .filter(({ status, error }) => status === 'failed' && error?.retryable).length;
  // Without a model, an analysis reads only what the files say.
  const describes = optimizer.limits.describes !== false;
  const onlyMissing = describes && anyAnalyzed && counts.undescribed > 0;
  return html`
    ${
      noAnalyze || locked
        ? nothing
        : html`<button type="button" class="button ${!describes || (anyAnalyzed && !onlyMissing) ? '' : 'tinted'} analyze" part="button" aria-disabled=${running || counts.uploaded === 0} @click=${pressed(act, 'analyze')}>${icon('sparkle')}${
            onlyMissing
              ? t('toolbar.analyze-missing', { count: counts.undescribed })
              : t(!describes ? 'toolbar.analyze-files' : anyAnalyzed ? 'toolbar.analyze-again' : 'toolbar.analyze')
          }</button>`
    }
    ${
      locked
        ? nothing
        : html`
          <button type="button" class="button review ${counts.unaccepted > 0 && !running ? 'tinted' : ''}" part="button"
            aria-disabled=${optimizer.items.visible().length === 0} @click=${pressed(act, 'review')}>${icon('image')}${t('reviewing.title')}</button>
          <span class="pair">
            <button type="button" class="button quiet icon-only undo" part="button" aria-label=${t('toolbar.undo')}
              title=${t('toolbar.undo')} aria-disabled=${!optimizer.canUndo} @click=${pressed(act, 'undo')}>${icon('undo')}</button>
            <button type="button" class="button quiet icon-only redo" part="button" aria-label=${t('toolbar.redo')}
              title=${t('toolbar.redo')} aria-disabled=${!optimizer.canRedo} @click=${pressed(act, 'redo')}>${icon('undo')}</button>
          </span>
          ${
            retryable > 0 && !running && !optimizer.notices.some(({ actions }) => actions.includes('retry'))
              ? html`<button type="button" class="button" part="button" @click=${() => act('retry')}>
                  ${icon('replace')}${t('toolbar.retry', { count: retryable })}</button>`
              : nothing
          }
        `
    }
    ${locked ? nothing : renderLanguages(optimizer, i18n)}
    ${isDone(optimizer) ? nothing : renderTake(i18n, act)}
  `;
}

/** Renders the filter of the rows, with counts, as native radio buttons. */
export function renderFilter({ optimizer, i18n }: WorkbenchContext): TemplateResult | typeof nothing {
  const { t, formatNumber } = i18n;
  const { counts, filter } = optimizer;
  const all: [ListFilter, number][] = [
    ['all', counts.total],
    ['missing', counts.missing],
    ['review', counts.review],
    ['failed', counts.failed],
  ];
  if (counts.total === 0) return nothing;
  // Empty filters are left out, except the current one and `missing`: if that vanished with the last missing text, the rows would
  // move under the click that leaves the text field.
  const shown = all.filter(([name, count]) => count > 0 || name === 'missing' || name === filter);
  // Chromium never frees radio buttons that were removed from a shadow root, unless they belong to a form.
  return html`
    <form method="dialog">
      <fieldset class="filter">
        <legend class="visually-hidden">${t('filter.label')}</legend>
        ${shown.map(
          ([name, count]) => html`
            <label>
              <input class="visually-hidden" type="radio" name="filter" .checked=${filter === name}
                @change=${() => optimizer.setFilter(name)} />
              <span>${t(`filter.${name}`)} <bdi class="numbers">${formatNumber(count)}</bdi></span>
            </label>
          `,
        )}
      </fieldset>
    </form>
  `;
}
