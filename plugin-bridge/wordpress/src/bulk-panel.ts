import { ask } from './ask.ts';
import { followRun, type Run } from './bulk-run.ts';
import { type Preview, renderOffer, renderRun, spendQuestion } from './bulk-views.ts';
import { make, makeButton, renew } from './make.ts';
import { type Rest, RestError } from './rest.ts';
import { count, type SiteConfig, textOf } from './site-config.ts';

/** Panel for bulk runs: price before a run, progress, outcome. */
export class BulkPanel {
  readonly #rest: Rest;
  readonly #config: SiteConfig;
  /** Preselected ids. */
  readonly #chosen: readonly number[];
  readonly #body = make('div', { className: 'imagewright-bulk-body' });
  /** One live region for all texts: screen readers often skip the text of a new one. */
  readonly #status = make('p', { className: 'imagewright-news' });
  #working = false;
  /** The run that is shown. */
  #run: Run | null = null;
  /** True from a click on Stop until the site has answered. */
  #stopping = false;
  /** News that stay while this window follows the run. */
  #news = '';

  constructor(
    place: HTMLElement,
    { rest, config, chosen }: { rest: Rest; config: SiteConfig; chosen: readonly number[] },
  ) {
    this.#rest = rest;
    this.#config = config;
    this.#chosen = chosen;
    this.#status.setAttribute('role', 'status');
    place.append(this.#body, this.#status);
  }

  /** Reloads counts, price and run. Does nothing while this window follows a run. */
  async refresh(): Promise<void> {
    if (this.#working) return;
    await this.#guarded(async () => {
      const { run } = await this.#rest.call<{ run: Run | null }>('GET', '/run');
      if (run?.state === 'running') await this.#follow(run);
      else if (run) this.#showRun(run);
      else await this.#showOffers();
    });
  }

  /** Starts a run of chosen images, of those of an earlier run (`of`), or of the library. */
  async #start(kind: Run['kind'], { ids = [], of = '' }: { ids?: readonly number[]; of?: string }): Promise<void> {
    await this.#guarded(async () => {
      const { run } = await this.#rest.call<{ run: Run }>('POST', '/run', { json: { kind, ids, of } });
      await this.#follow(run);
    });
  }

  /** Asks with the price before credits are spent. What is free starts at once. */
  async #spend(preview: Preview, ids: readonly number[]): Promise<void> {
    const yes = textOf(this.#config, 'bulkStart', {
      images: count(preview.images, 'images', this.#config),
      credits: count(preview.cost, 'credits', this.#config),
    });
    if (preview.cost > 0 && !(await ask(spendQuestion(preview, this.#config), { yes, config: this.#config }))) return;
    await this.#start('optimize', { ids });
  }

  /** Asks before a run that takes something away. */
  async #askAndStart(kind: 'restore' | 'discard', images: number, of = ''): Promise<void> {
    const question = textOf(this.#config, `${kind}Confirm`, { images: count(images, 'images', this.#config) });
    const yes = textOf(this.#config, of ? 'bulkUndo' : `${kind}All`);
    if (await ask([question], { yes, config: this.#config })) await this.#start(kind, { of });
  }

  async #resume(): Promise<void> {
    await this.#guarded(async () => {
      const { run } = await this.#rest.call<{ run: Run | null }>('PATCH', '/run', { json: { state: 'running' } });
      if (run) await this.#follow(run);
      else await this.#showOffers();
    });
  }

  async #follow(run: Run): Promise<void> {
    this.#working = true;
    this.#news = '';
    this.#showRun(run);
    try {
      const ended = await followRun(this.#rest, {
        changed: (state) => this.#showRun(state),
        lost: (error) => this.#announce(error.message),
      });
      this.#working = false;
      if (ended) this.#showRun(ended);
      else await this.#showOffers();
    } finally {
      this.#working = false;
    }
  }

  /** Stops the run. A refusal is shown, and Stop can be pressed again. */
  async #stop(): Promise<void> {
    this.#stopping = true;
    this.#tell(textOf(this.#config, 'bulkStopping'));
    try {
      await this.#rest.call('PATCH', '/run', { json: { state: 'stopped' } });
      this.#stopping = false;
    } catch (error) {
      this.#stopping = false;
      if (!(error instanceof RestError)) throw error;
      this.#tell(error.message);
    }
  }

  /** Shows news below the run for as long as this window follows it. */
  #tell(news: string): void {
    this.#news = news;
    if (this.#run && this.#working) this.#showRun(this.#run);
  }

  async #close(): Promise<void> {
    await this.#rest.call('DELETE', '/run');
    await this.refresh();
  }

  /** Runs `work`. Shows an error with a button to resume. */
  async #guarded(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof RestError)) throw error;
      this.#announce(error.message);
      const resume = makeButton(textOf(this.#config, 'bulkResume'), () => void this.#resume(), 'button-primary');
      this.#body.replaceChildren(make('p', {}, resume));
    }
  }

  #showRun(run: Run): void {
    // Resumed in another window.
    if (this.#run?.state === 'stopped' && run.state === 'running') this.#news = '';
    this.#run = run;
    const { text, parts } = renderRun(run, this.#config, {
      working: this.#working,
      stopping: this.#stopping,
      stop: () => void this.#stop(),
      resume: () => void this.#resume(),
      close: () => void this.#close(),
      undo: () => void this.#askAndStart('restore', run.done, run.id),
    });
    renew(this.#body, parts);
    if (this.#working) this.#announce(this.#news);
    // The text is already visible beside the bar.
    else this.#announce(text, { shown: false });
  }

  async #showOffers(): Promise<void> {
    const config = this.#config;
    const imagesOf = (n: number) => ({ images: count(n, 'images', config) });
    const status = await this.#rest.call<{ total: number; optimized: number; replaced: number }>('GET', '/status', {
      query: { balance: 0 },
    });
    const parts: (Node | string)[] = [];
    // Without a service, images can be restored.
    const { isReady } = config;
    if (isReady && this.#chosen.length > 0) {
      parts.push(make('h3', {}, textOf(config, 'bulkSelected', imagesOf(this.#chosen.length))));
      parts.push(...(await this.#offer(this.#chosen)));
    }
    parts.push(make('h3', {}, textOf(config, 'bulkTitle')), make('p', {}, textOf(config, 'bulkCounts', status)));
    if (isReady) parts.push(...(await this.#offer([])));
    const ways = [
      status.optimized > 0 ? this.#way('restore', status.optimized) : null,
      status.replaced > 0 ? this.#way('discard', status.replaced) : null,
    ];
    parts.push(make('p', { className: 'imagewright-ways' }, ...ways));
    this.#announce('');
    this.#body.replaceChildren(...parts);
  }

  #way(kind: 'restore' | 'discard', images: number): HTMLButtonElement {
    return makeButton(textOf(this.#config, `${kind}All`), () => void this.#askAndStart(kind, images), 'button-link');
  }

  /** Returns the price of a run and the button that starts it. No ids: all images. */
  async #offer(ids: readonly number[]): Promise<(Node | string)[]> {
    const preview = await this.#rest.call<Preview>('GET', '/run/preview', { query: ids.length > 0 ? { ids } : {} });
    return renderOffer(preview, this.#config, () => void this.#spend(preview, ids));
  }

  /** Writes a text to the live region. `shown: false` is for screen readers only. */
  #announce(text: string, { shown = true } = {}): void {
    this.#status.className = shown ? 'imagewright-news' : 'screen-reader-text';
    this.#status.textContent = text;
  }
}
