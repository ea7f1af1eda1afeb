import { html, nothing, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import { canExport } from '../../state/index.ts';
import { icon } from '../../styles/index.ts';
import { pressed } from './render-toolbar.ts';
import { isRunning, type WorkbenchContext } from './workbench-context.ts';

/** Number of images from which on they can be searched, selected and shown as a grid. */
const MANY = 5;

/** Renders the search, the switch of the selection, and those of list and grid, as soon as there are many images. */
export function renderFinder({
  optimizer,
  i18n,
  act,
  grid,
  selecting,
  locked,
}: WorkbenchContext): TemplateResult | typeof nothing {
  const { counts, query } = optimizer;
  if (counts.total < MANY && !grid && !selecting && !query) return nothing;
  const { t } = i18n;
  const view = (name: 'list' | 'grid', on: boolean) => html`<button type="button" class="button icon-only" part="button"
    aria-label=${t(`finder.${name}`)} title=${t(`finder.${name}`)} aria-pressed=${on}
    @click=${() => on || act('toggle-grid')}>${icon(name)}</button>`;
  return html`
    <div class="finder">
      <input class="input" part="input" type="search" aria-label=${t('finder.search')} placeholder=${t('finder.search')}
        .value=${live(query)} @input=${({ target }: Event) => optimizer.setQuery((target as HTMLInputElement).value)} />
      ${
        locked
          ? nothing
          : html`<button type="button" class="button" part="button" aria-pressed=${selecting}
              @click=${() => act('toggle-selecting')}>${t('finder.select')}</button>`
      }
      <div class="segments">${view('list', !grid)}${view('grid', grid)}</div>
    </div>
  `;
}

/** Renders what can be done with the selected images. */
export function renderSelection({
  optimizer,
  i18n,
  act,
  selecting,
  locked,
  noAnalyze,
}: WorkbenchContext): TemplateResult | typeof nothing {
  if (!selecting || locked) return nothing;
  const { t } = i18n;
  const { selected } = optimizer.counts;
  const count = optimizer.items.list().filter((item) => item.selected && canExport(item)).length;
  const busy = isRunning(optimizer) || optimizer.state === 'uploading';
  const button = (action: Parameters<typeof act>[0], key: string, off = selected === 0) =>
    html`<button type="button" class="button" part="button" aria-disabled=${off} @click=${pressed(act, action)}>${t(key, { count })}</button>`;
  return html`
    <div class="selection" role="group" aria-label=${t('finder.select')}>
      <strong class="numbers" role="status">${t('select.count', { count: selected })}</strong>
      ${button('select-all', 'select.all', false)}
      ${button('review-selected', 'reviewing.title')} ${noAnalyze ? nothing : button('analyze-selected', 'toolbar.analyze')}
      ${button('edit-selected', 'select.texts')} ${button('accept-selected', 'select.accept')}
      ${button('confirm-export-selected', count ? 'export.some' : 'export.none', busy || count === 0)}
      ${button('confirm-remove-selected', 'action.remove')}
    </div>
  `;
}
