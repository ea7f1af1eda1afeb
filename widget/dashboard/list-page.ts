import { html, nothing, type PropertyDeclarations, type TemplateResult } from 'lit';
import { DashboardPage } from './dashboard-page.ts';
import { STRINGS } from './language.ts';

/** Part of a list, and the cursor of the next one. */
export interface ListPart<Line> {
  lines: Line[];
  nextCursor: string | null;
}

/** Base class of pages with a list that is filtered and read in parts. */
export abstract class ListPage<Line, Filter extends object> extends DashboardPage {
  static override properties: PropertyDeclarations = {
    lines: { state: true },
    cursor: { state: true },
    filter: { state: true },
  };

  /** Null until loaded. */
  declare lines: Line[] | null;
  declare cursor: string | null;
  declare filter: Filter;

  #requests = 0;

  constructor() {
    super();
    this.lines = null;
    this.cursor = null;
    this.filter = {} as Filter;
  }

  /** Reads a part of the list from the service. */
  protected abstract read(query: Filter & { cursor?: string }): Promise<ListPart<Line>>;

  /**
   * Reads the list from its beginning, or the part behind `cursor`. The response to an earlier request is dropped, also an error.
   * @returns true if the list is shown
   */
  protected async fetch(cursor: string | null = null): Promise<boolean> {
    this.#requests += 1;
    const request = this.#requests;
    const isWanted = () => request === this.#requests;
    let shown = false;
    await this.load(async () => {
      const { lines, nextCursor } = await this.read({ ...this.filter, ...(cursor ? { cursor } : {}) });
      if (!isWanted()) return;
      this.lines = cursor ? [...(this.lines ?? []), ...lines] : lines;
      this.cursor = nextCursor;
      shown = true;
    }, isWanted);
    return shown;
  }

  /** Applies the filter of a form, without its empty fields. @returns true if the list is shown */
  protected choose(form: HTMLFormElement): Promise<boolean> {
    const values = Object.entries(Object.fromEntries(new FormData(form)));
    const chosen = values.map(([name, value]) => [name, `${value}`.trim()]).filter(([, value]) => value !== '');
    this.filter = Object.fromEntries(chosen) as Filter;
    return this.fetch();
  }

  /** Applies the filter of the form that has sent the event, and announces how many lines there are. */
  protected readonly onFilter = (event: Event): void => {
    event.preventDefault();
    void this.choose(event.currentTarget as HTMLFormElement).then((shown) => {
      if (shown) this.tell('dash-say', STRINGS.credits.shown({ count: this.lines?.length ?? 0 }));
    });
  };

  /** Renders the lines as a table that `heading` names, by its id. */
  protected renderTable(
    heading: string,
    { columns, line }: { columns: TemplateResult; line: (one: Line) => TemplateResult },
  ): TemplateResult | typeof nothing {
    if (!this.lines) return nothing;
    if (this.lines.length === 0) return html`<p class="empty">${STRINGS.credits.none}</p>`;
    return html`<div class="scroll" tabindex="0" role="group" aria-labelledby=${heading}>
        <table>
          <thead>
            <tr>${columns}</tr>
          </thead>
          <tbody>
            ${this.lines.map(line)}
          </tbody>
        </table>
      </div>
      ${this.renderMore()}`;
  }

  /** Renders the button for the next part of the list, if there is one. */
  protected renderMore(): TemplateResult | typeof nothing {
    if (!this.cursor) return nothing;
    return html`<div><button class="button" @click=${() => void this.fetch(this.cursor)}>${STRINGS.credits.more}</button></div>`;
  }
}
