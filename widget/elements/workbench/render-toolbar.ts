import { html, nothing, type TemplateResult } from 'lit';
import type { ListFilter } from '../../state/index.ts';
import { icon } from '../../styles/index.ts';
import { renderLanguages } from '../render-languages.ts';
import { isRunning, type WorkbenchAction, type WorkbenchContext } from './workbench-context.ts';

/**
 * Runs an action unless its button has `aria-disabled`. A button with `disabled` would lose the focus. A menu is closed before, so that
 * a dialog gives the focus back to the button of the menu.
 */
export const pressed =
  (act: WorkbenchContext['act'], action: WorkbenchAction) =>
  ({ currentTarget }: Event) => {
    const button = currentTarget as Element;
    if (button.ariaDisabled === 'true') return;
    button.closest<HTMLElement>('[popover]')?.hidePopover();
    act(action);
  };

/** Renders the actions on all images that are no step of the work. */
export function renderToolbar({ optimizer, i18n, locked, act }: WorkbenchContext): TemplateResult {
  const { t } = i18n;
  const retryable = optimizer.items
    .list()
    .filter(({ status, error }) => status === 'failed' && error?.retryable).length;
  return html`
    ${
      locked
        ? nothing
        : html`
          ${
            retryable > 0 &&
            !isRunning(optimizer) &&
            !optimizer.notices.some(({ actions }) => actions.includes('retry'))
              ? html`<button type="button" class="button" part="button" @click=${() => act('retry')}>
                  ${icon('replace')}${t('toolbar.retry', { count: retryable })}</button>`
              : nothing
          }
          ${renderLanguages(optimizer, i18n)}
        `
    }
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
