import { html, type nothing, type ReactiveController, type TemplateResult } from 'lit';
import type { Item } from '../../state/index.ts';
import { copyText } from '../copy-text.ts';
import { ROW_PARTS } from '../io-list/index.ts';
import type { IoReview } from '../io-review/index.ts';
import type { RowContext } from '../io-row/index.ts';
import { createActions } from './actions.ts';
import { comparisonOf } from './comparison.ts';
import { keepInSight } from './keep-focus-in-sight.ts';
import { loadCompare } from './load-compare.ts';
import { PresetTrials } from './preset-trials.ts';
import { renderBar } from './render-bar.ts';
import { renderDialog } from './render-dialogs.ts';
import { renderFinder, renderSelection } from './render-finder.ts';
import { renderMenu } from './render-menu.ts';
import { renderNotices } from './render-notices.ts';
import { renderOutcome } from './render-outcome.ts';
import { renderFilter, renderToolbar } from './render-toolbar.ts';
import {
  comparable,
  type Dialog,
  isDone,
  isRunning,
  type WorkbenchAction,
  type WorkbenchContext,
} from './workbench-context.ts';
import type { WorkbenchHost } from './workbench-host.ts';

/** Content of the element once there are images. The public element renders it in its own shadow root. */
export class Workbench implements ReactiveController {
  readonly #host: WorkbenchHost;
  readonly #actions: { [name in WorkbenchAction]: () => unknown };
  #lastRowContext: RowContext | null = null;
  #dialog: Dialog | null = null;
  /** The dialog that was shown last. It is not shown again between its closing and the event of that. */
  #shown: Dialog | null = null;
  #on = { grid: false, selecting: false };
  #checking = false;
  readonly #trials: PresetTrials;
  #focusInBar = false;
  /** Asks for the price again, since credits may have been bought in another tab. */
  readonly #onReturn = (): void => {
    const { cost } = this.#host.properties().optimizer;
    if (document.visibilityState === 'visible' && cost && !cost.sufficient && !this.#checking) void this.#checkCost();
  };

  constructor(host: WorkbenchHost) {
    this.#host = host;
    this.#actions = createActions(host, {
      open: (dialog) => this.#open(dialog),
      compare: (kind) => this.#compare(kind),
      checkCost: () => this.#checkCost(),
      focusBar: () => this.#focusBar(true),
      toggle: (name) => {
        this.#on = { ...this.#on, [name]: !this.#on[name] };
        host.host.requestUpdate();
      },
      waitsInBar: () => Boolean(host.root.activeElement?.closest('.bar')),
    });
    this.#trials = new PresetTrials(
      () => host.properties().optimizer,
      () => host.host.requestUpdate(),
    );
    host.host.addController(this);
    // Scrolls to focused controls.
    host.root.addEventListener('focusin', (event) => keepInSight(host.root, event.composedPath()[0] as HTMLElement));
  }

  hostConnected(): void {
    globalThis.addEventListener('focus', this.#onReturn);
    document.addEventListener('visibilitychange', this.#onReturn);
  }

  hostDisconnected(): void {
    globalThis.removeEventListener('focus', this.#onReturn);
    document.removeEventListener('visibilitychange', this.#onReturn);
  }

  hostUpdate(): void {
    this.#focusInBar = Boolean(this.#host.root.activeElement?.closest('.bar, .outcome, .notices, .tools'));
  }

  hostUpdated(): void {
    const dialog = this.#host.root.querySelector('dialog');
    if (dialog && !dialog.open && this.#dialog !== this.#shown) {
      dialog.showModal();
      void dialog.querySelector<IoReview>('io-review')?.begin();
    }
    this.#shown = this.#dialog;
    // A removed button loses the focus at once, a disabled one in the next frame.
    const active = this.#host.root.activeElement;
    if (this.#focusInBar && (!active || active.matches(':disabled'))) this.#focusBar();
  }

  /** Renders the notices above everything else, also while there are no images. */
  renderNotices(): TemplateResult | typeof nothing {
    return renderNotices(this.#context());
  }

  /** Renders the buttons after "Add images". */
  renderTools(): TemplateResult {
    return renderToolbar(this.#context());
  }

  /** Renders the last button of the toolbar, with its menu. */
  renderMenu(): TemplateResult {
    return renderMenu(this.#context());
  }

  /** Renders results, rows and the bar. */
  renderMain(): TemplateResult {
    const context = this.#context();
    const { i18n, optimizer } = context;
    return html`
      ${renderOutcome(context)}
      <div class="work">
        <button type="button" class="button skip" part="button" @click=${() => this.#act('skip-list')}>
          ${i18n.t('list.skip', { count: optimizer.counts.total })}</button>
        <div class="find">${renderFilter(context)} ${renderFinder(context)}</div>
        ${renderSelection(context)}
        <io-list class="rows" exportparts="list, ${ROW_PARTS}" .context=${this.#rowContext()}
          @list-empty-focus=${() => this.#host.focusPicker()}></io-list>
      </div>
      ${renderBar(context)}
    `;
  }

  /** Renders the open dialog. */
  renderDialog(): TemplateResult | typeof nothing {
    return renderDialog(this.#context());
  }

  #context(): WorkbenchContext {
    const properties = this.#host.properties();
    const { optimizer } = properties;
    const costFailed = optimizer.notices.some(({ phase }) => phase === 'cost');
    return {
      ...properties,
      dialog: this.#dialog,
      trials: this.#trials,
      rows: this.#rowContext(),
      grid: this.#on.grid,
      selecting: this.#on.selecting,
      costFailed,
      costLoading: this.#checking || (!costFailed && optimizer.cost === null && optimizer.counts.toExport > 0),
      act: (action) => this.#act(action),
      closed: (yes) => void this.#closed(yes),
      exportFirst: (first, ids) => this.#open({ name: 'export', first, ids }),
      save: this.#host.save,
      setAnalyzeOptions: this.#host.setAnalyzeOptions,
    };
  }

  /** Returns the context of rows. It is the same object until one of its values changes. */
  #rowContext(): RowContext {
    const { optimizer, i18n, mode, noDownload, compact, locked, itemActions } = this.#host.properties();
    const { grid, selecting } = this.#on;
    const { settings } = optimizer;
    const parts = { optimizer, settings, i18n, mode, noDownload, compact, locked, itemActions, grid, selecting };
    const before = this.#lastRowContext;
    if (before && (Object.keys(parts) as (keyof typeof parts)[]).every((name) => before[name] === parts[name])) {
      return before;
    }
    this.#lastRowContext = {
      ...parts,
      focused: (control: HTMLElement) => keepInSight(this.#host.root, control),
      review: (item: Item) => {
        const ids = this.#host
          .properties()
          .optimizer.items.visible()
          .map(({ id }) => id);
        this.#open({ name: 'review', ids, start: item.id });
      },
      compare: (item: Item) => void this.#compare(item.result ? 'result' : 'sample', item.id),
      copy: async (text: string) => {
        const done = await copyText(text);
        optimizer.announce(i18n.t(done ? 'take.copied' : 'take.not-copied'));
      },
      download: (item: Item, variant?: string) => this.#host.download(item.id, variant).catch(() => {}),
    };
    return this.#lastRowContext;
  }

  #act(action: WorkbenchAction): void {
    // Failures are shown as notices and reported by `io-error`.
    void Promise.resolve(this.#actions[action]()).catch(() => {});
  }

  #open(dialog: Dialog | null): void {
    this.#dialog = dialog;
    this.#host.host.requestUpdate();
  }

  async #closed(yes: boolean): Promise<void> {
    const { host, root, properties, focusPicker } = this.#host;
    const dialog = this.#dialog;
    const { optimizer } = properties();
    this.#trials.end();
    this.#open(null);
    if (yes && dialog?.name === 'clear' && dialog.ids) optimizer.remove(...dialog.ids);
    else if (yes && dialog?.name === 'clear') {
      optimizer.clear();
      await host.updateComplete;
      focusPicker();
    } else if (yes && dialog?.name === 'export') {
      void optimizer.exportImages(dialog.ids, dialog).catch(() => {});
    }
    await host.updateComplete;
    if (!root.activeElement) this.#focusBar();
  }

  /** Focuses the first button of what is to be done; with `step`, or after the last step, the solid one. */
  #focusBar(step = false): void {
    const { optimizer } = this.#host.properties();
    // The cancel button of a run is in the bar, the outcome above it.
    const place = isRunning(optimizer) ? '.bar' : ':is(.bar, .outcome)';
    const find = (button: string) => this.#host.root.querySelector<HTMLElement>(`${place} .ways ${button}`);
    const solid = step || isDone(optimizer) ? find('.primary:not(:disabled)') : null;
    const button = solid ?? find('button:not(:disabled)');
    if (button) button.focus();
    else this.#host.focusPicker();
  }

  async #checkCost(): Promise<void> {
    this.#checking = true;
    this.#host.host.requestUpdate();
    await this.#host
      .properties()
      .optimizer.checkCost()
      .finally(() => {
        this.#checking = false;
        this.#host.host.requestUpdate();
      });
  }

  async #compare(kind: 'sample' | 'result', id?: string): Promise<void> {
    const { optimizer, noSample, locked } = this.#host.properties();
    const items = comparable(optimizer.items.list(), kind);
    const pairs = items.flatMap(
      (item) => comparisonOf(optimizer, item, kind, (result) => this.#trials.fileOf(result)) ?? [],
    );
    if (pairs.length === 0) return;
    await loadCompare();
    const index = pairs.findIndex((pair) => pair.id === id);
    const at = Math.max(0, index);
    this.#trials.begin(kind, pairs[at]?.id ?? '', !noSample && !locked);
    this.#open({ name: 'compare', pairs, index: at });
  }
}
