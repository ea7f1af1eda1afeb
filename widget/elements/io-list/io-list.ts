import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { Item } from '../../state/index.ts';
import { foundation } from '../../styles/index.ts';
import {
  createThumbQueue,
  type IoRow,
  type RowContext,
  type RowSelectDetail,
  type ThumbQueue,
} from '../io-row/index.ts';
import { ExpandedRows } from './expanded-rows.ts';
import { listStyles } from './io-list.styles.ts';
import { createRowHeights, findRange, type ListEntry, layOut, type RowRange } from './row-window.ts';

/** Rows of the first paint, more than a screen. The others follow in slices, so that no task is long. */
const FIRST_ROWS = 12;
const MOST_ROWS = 40;
const FEWEST_ROWS = 4;
const SLICE_MS = 16;
/** Duration of a slice from which on the next ones are smaller, in milliseconds. */
const SLOW_MS = 12;
/** Lists from this length on are windowed: only some rows are in the page. It is also the most a session has by default. */
const WINDOWED_FROM = 1000;
/** Assumed height of a row until one is measured, in pixels. */
const ROW_HEIGHT = 73;
/** Distance above and below the visible part that has rows too, in pixels. */
const MARGIN = 800;

/**
 * Rows of all images. Lists below 1,000 rows are in the page as a whole; rows near the visible part or the focus have
 * their fields, others only names and states. Of longer lists, the rows around the visible part and the focused row are
 * in the page.
 *
 * Ctrl and an arrow up or down moves to the same field of the row above or below.
 *
 * @tag io-list
 * @fires {Event} list-empty-focus - The last row was removed; the focus has to move outside.
 * @csspart list - The list.
 */
export class IoList extends LitElement {
  static override styles = [foundation, listStyles];
  static override properties = {
    context: { attribute: false },
    items: { state: true },
    shown: { state: true },
    range: { state: true },
  };

  /** Values all rows share. */
  declare context: RowContext;
  declare protected items: readonly Item[];
  /** Number of rows in the page. */
  declare protected shown: number;
  /** Rendered range of a windowed list. */
  declare protected range: RowRange;

  #ids: string[] = [];
  #unsubscribe: (() => void) | null = null;
  #expanded: ExpandedRows | null = null;
  #thumbs: ThumbQueue | null = null;
  #heights = createRowHeights(ROW_HEIGHT);
  #timer: ReturnType<typeof setTimeout> | undefined;
  #frame = 0;
  #pinned: string | null = null;
  /** Image whose box was pressed last. */
  #chosen: string | null = null;
  #slice = FIRST_ROWS;

  readonly #roots: Node[] = [];
  readonly #scrolled = () => this.#onScroll();

  constructor() {
    super();
    this.items = [];
    this.shown = FIRST_ROWS;
    this.range = { start: 0, end: FIRST_ROWS };
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#watchScroll();
    if (this.hasUpdated) {
      this.#subscribe();
      this.#arrange();
    }
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    for (const root of this.#roots.splice(0)) root.removeEventListener('scroll', this.#scrolled, true);
    clearTimeout(this.#timer);
    cancelAnimationFrame(this.#frame);
    this.#timer = undefined;
    this.#frame = 0;
    this.#unsubscribe?.();
    this.#expanded?.close();
    this.#expanded = null;
  }

  get #windowed(): boolean {
    return this.items.length >= WINDOWED_FROM;
  }

  get #list(): HTMLElement {
    return this.renderRoot.querySelector('ul') as HTMLElement;
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    const before = changed.get('context');
    if (!changed.has('context')) return;
    if (before?.optimizer !== this.context.optimizer) this.#subscribe();
    if (!before || before.grid === this.context.grid) return;
    // All rows are made again.
    this.#expanded?.close();
    this.#expanded = null;
    this.#heights = createRowHeights(ROW_HEIGHT);
    this.shown = FIRST_ROWS;
  }

  #subscribe(): void {
    this.#unsubscribe?.();
    const { optimizer } = this.context;
    const { items } = optimizer;
    this.#thumbs = createThumbQueue({ optimizer });
    this.#updateRows();
    this.#unsubscribe = items.subscribeList(() => this.#updateRows());
  }

  #updateRows(): void {
    const list = this.context.optimizer.items.visible();
    if (list === this.items) return;
    this.items = list;
    this.#ids = list.map(({ id }) => id);
  }

  protected override updated(): void {
    this.#arrange();
    if (this.#windowed) this.#measure();
    else if (this.shown < this.items.length) this.#nextSlice();
  }

  #arrange(): void {
    this.#expanded ??= new ExpandedRows(this.#list, () => this.#thumbs);
    const rows = this.#rows();
    this.#expanded.arrange(rows, this.#pinned === null ? undefined : this.#rowOf(this.#pinned, rows), this.#windowed);
  }

  #nextSlice(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.#showSlice();
    }, SLICE_MS);
  }

  async #showSlice(): Promise<void> {
    const start = performance.now();
    this.shown = Math.min(this.shown + this.#slice, this.items.length);
    await this.updateComplete;
    await this.#rows().at(-1)?.updateComplete;
    const slow = performance.now() - start > SLOW_MS;
    this.#slice = Math.min(MOST_ROWS, Math.max(FEWEST_ROWS, Math.round(this.#slice * (slow ? 0.5 : 1.5))));
  }

  /** Images beside each other. */
  get #columns(): number {
    return this.context.grid ? getComputedStyle(this.#list).gridTemplateColumns.split(' ').length : 1;
  }

  /** Follows the scrolling of the list, the page and what is between. Scroll events do not leave their shadow root. */
  #watchScroll(): void {
    let root: Node = this.renderRoot;
    for (;;) {
      root.addEventListener('scroll', this.#scrolled, { capture: true, passive: true });
      this.#roots.push(root);
      if (!(root instanceof ShadowRoot)) return;
      root = root.host.getRootNode();
    }
  }

  #measure(): void {
    const columns = this.#columns;
    for (const element of this.#list.querySelectorAll<HTMLElement>('li:not(.gap)')) {
      const row = element.firstElementChild as IoRow;
      if (element.offsetHeight > 0) this.#heights.measure(row.itemId, element.offsetHeight / columns);
    }
    for (const gap of this.#list.querySelectorAll<HTMLElement>('.gap')) {
      gap.style.setProperty('height', `${gap.dataset.height}px`);
    }
  }

  #onScroll(): void {
    if (!this.#windowed || this.#frame) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      const list = this.#list;
      const top = list.scrollTop + Math.max(0, -list.getBoundingClientRect().top);
      const bottom = top + Math.min(list.clientHeight, globalThis.innerHeight);
      const { start, end } = findRange(this.#ids, this.#heights, top - MARGIN, bottom + MARGIN);
      // Whole lines of a grid.
      const columns = this.#columns;
      const range = { start: start - (start % columns), end: Math.ceil(end / columns) * columns };
      if (range.start !== this.range.start || range.end !== this.range.end) this.range = range;
    });
  }

  #rows(): IoRow[] {
    return [...this.#list.querySelectorAll<IoRow>('io-row')];
  }

  #rowOf(id: string, rows = this.#rows()): IoRow | undefined {
    return rows.find(({ itemId }) => itemId === id);
  }

  #onKeydown(event: KeyboardEvent): void {
    if (!(event.ctrlKey || event.metaKey) || !['ArrowUp', 'ArrowDown'].includes(event.key)) return;
    const row = event.composedPath().find((target) => (target as Element).localName === 'io-row') as IoRow | undefined;
    if (!row) return;
    event.preventDefault();
    const place = this.#ids.indexOf(row.itemId) + (event.key === 'ArrowDown' ? 1 : -1);
    const id = this.#ids[place];
    if (id) void this.#focusRow(id, row.focusedControl ?? 'alt');
  }

  async #focusRow(id: string, control: Parameters<IoRow['focusControl']>[0]): Promise<void> {
    this.#pinned = id;
    const place = this.#ids.indexOf(id);
    if (!this.#windowed && place >= this.shown) this.shown = place + 1;
    else this.requestUpdate();
    await this.updateComplete;
    const row = this.#rowOf(id);
    await row?.updateComplete;
    row?.focusControl(control);
  }

  async #onRemove(event: Event): Promise<void> {
    const { itemId } = event.target as IoRow;
    // The store reports changes once per frame; two rows may be removed within one.
    this.#updateRows();
    const place = this.#ids.indexOf(itemId);
    const next = this.#ids[place + 1] ?? this.#ids[place - 1];
    this.context.optimizer.remove(itemId);
    if (next) await this.#focusRow(next, 'remove');
    else this.dispatchEvent(new Event('list-empty-focus'));
  }

  #onSelect({ detail }: CustomEvent<RowSelectDetail>): void {
    const { id, selected, range } = detail;
    const places = [this.#ids.indexOf(id), range && this.#chosen ? this.#ids.indexOf(this.#chosen) : -1];
    const [from, to] = places.filter((place) => place >= 0).sort((a, b) => a - b);
    this.#chosen = id;
    this.context.optimizer.select(this.#ids.slice(from, (to ?? from ?? 0) + 1), selected);
  }

  #onFocus(event: FocusEvent): void {
    const row = event.composedPath().find((target) => (target as Element).localName === 'io-row') as IoRow | undefined;
    this.#pinned = row?.itemId ?? null;
    this.#arrange();
  }

  protected override render(): TemplateResult {
    const { t } = this.context.i18n;
    return html`
      <p class="visually-hidden" id="keys">${t('list.keys')}</p>
      ${this.items.length === 0 ? html`<p class="none">${t('filter.none')}</p>` : nothing}
      ${repeat(
        // The list is made again when rows become cards.
        [this.context.grid],
        String,
        () => html`<ul class=${this.context.grid ? 'grid' : ''} part="list" role="list" aria-label=${t('list.label')} aria-describedby="keys" ?hidden=${this.items.length === 0} @keydown=${this.#onKeydown}
        @focusin=${this.#onFocus} @row-remove=${this.#onRemove} @row-select=${this.#onSelect}>
        ${repeat(
          this.#entries(),
          ({ key }) => key,
          (entry) => ('gap' in entry ? this.#renderGap(entry.gap) : this.#renderRow(entry.id, entry.index)),
        )}
      </ul>`,
      )}
    `;
  }

  #entries(): ListEntry[] {
    if (!this.#windowed) return this.#ids.slice(0, this.shown).map((id, index) => ({ key: id, id, index }));
    const pinned = this.#pinned === null ? -1 : this.#ids.indexOf(this.#pinned);
    return layOut(this.#ids, this.#heights, this.range, pinned < 0 ? null : pinned);
  }

  #renderGap(height: number): TemplateResult {
    return html`<li class="gap" role="presentation" data-height=${Math.round(height)}></li>`;
  }

  #renderRow(id: string, index: number): TemplateResult {
    const windowed = this.#windowed;
    return html`<li class="brief" aria-setsize=${windowed ? this.#ids.length : nothing} aria-posinset=${windowed ? index + 1 : nothing}><io-row .brief=${!windowed} .itemId=${id} .context=${this.context} exportparts=${ROW_PARTS}></io-row></li>`;
  }
}

/** Parts of a row that pages can style. */
export const ROW_PARTS = 'row, row-error, thumb, field, input, badge, progress, status, button, button-danger';
