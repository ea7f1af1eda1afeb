import { createRunDriver, type Run } from './bulk-run.ts';
import { formatBytes, make, makeButton } from './make.ts';
import { type Rest, RestError } from './rest.ts';
import { count, fill, type SiteConfig } from './site-config.ts';

/** Price of a run. */
interface Preview {
  images: number;
  /** Images left out, by reason. */
  leftOut: { message: string; count: number; examples: { id: number; title: string }[] }[];
  /** Images to be described. Their price is `textCost`. */
  described: number;
  textCost: number;
  /** Total price in credits. */
  cost: number;
  balance: number;
  sufficient: boolean;
}

/** Panel for bulk runs. */
export interface BulkPanel {
  /** Reloads counts, price and run. */
  refresh(): Promise<void>;
}

/** Creates the panel in `place`: price before a run, progress, outcome. `chosen` are preselected ids. */
export function createBulkPanel(
  place: HTMLElement,
  { rest, config, chosen }: { rest: Rest; config: SiteConfig; chosen: readonly number[] },
): BulkPanel {
  const { strings, locale } = config;
  const say = (key: string, values?: Record<string, string | number>) => fill(strings[key], values);
  const images = (n: number) => count(n, 'images', config);
  const title = make('h2', {}, say('bulkHeading'));
  const body = make('div', { className: 'imagewright-bulk-body' });
  // One live region for all texts: screen readers often skip the text of a new one.
  const news = make('p', { className: 'imagewright-news' });
  news.setAttribute('role', 'status');
  const tell = (text: string, { shown = true } = {}) => {
    news.className = shown ? 'imagewright-news' : 'screen-reader-text';
    news.textContent = text;
  };
  place.append(title, body, news);
  let working = false;

  const driver = createRunDriver(rest, {
    changed: showRun,
    elsewhere: () => tell(say('bulkElsewhere')),
  });

  async function start(kind: Run['kind'], ids: readonly number[]): Promise<void> {
    await guarded(async () => {
      const { run } = await rest.call<{ run: Run }>('POST', '/run', { json: { kind, ids } });
      await drive(run);
    });
  }

  async function drive(run: Run): Promise<void> {
    working = true;
    showRun(run);
    try {
      const ended = await driver.work(run);
      working = false;
      if (ended) showRun(ended);
      else await showOffer();
    } finally {
      working = false;
    }
  }

  async function resume(): Promise<void> {
    await guarded(async () => {
      const { run } = await rest.call<{ run: Run | null }>('PATCH', '/run', { json: { state: 'running' } });
      if (run) await drive(run);
      else await showOffer();
    });
  }

  /** Runs `work`. Shows an error with a button to resume. */
  async function guarded(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof RestError)) throw error;
      tell(error.message);
      const button = makeButton(say('bulkResume'), () => void resume(), 'button-primary');
      body.replaceChildren(make('p', {}, button));
    }
  }

  function showRun(run: Run): void {
    const values = { done: run.done, total: run.total };
    const bar = make('progress', { max: Math.max(1, run.total), value: run.done + run.failed.length });
    const text = say(working ? 'bulkRunning' : run.state === 'done' ? 'bulkDone' : 'bulkStopped', values);
    bar.setAttribute('aria-label', text);
    const saved =
      run.kind === 'optimize' && run.bytes.before > 0
        ? say('bulkSaved', {
            before: formatBytes(run.bytes.before, locale),
            after: formatBytes(run.bytes.after, locale),
          })
        : '';
    const stop = makeButton(say('bulkStop'), () => {
      driver.stop();
      stop.disabled = true;
      tell(say('bulkStopping'));
      void rest.call('PATCH', '/run', { json: { state: 'stopped' } }).catch(() => {});
    });
    const ways = working
      ? [stop]
      : [
          ...(run.state === 'done' ? [] : [makeButton(say('bulkResume'), () => void resume(), 'button-primary')]),
          makeButton(say('bulkForget'), () => void forget()),
        ];
    body.replaceChildren(
      make('p', { className: 'imagewright-run', ariaBusy: String(working) }, bar, ' ', `${text} ${saved}`),
      run.reason && !working ? make('p', { className: 'notice notice-warning inline' }, run.reason.message) : '',
      run.failed.length > 0 ? failures(run) : '',
      make('p', { className: 'imagewright-ways' }, ...ways),
    );
    // The text is already visible beside the bar.
    if (!working) tell(text, { shown: false });
  }

  function failures(run: Run): HTMLElement {
    const lines = run.failed.map(({ id, title: name, message }) => make('li', {}, linkTo(id, name), `: ${message}`));
    return make(
      'div',
      {},
      make('p', {}, say('bulkFailed', { images: images(run.failed.length) })),
      make('ul', {}, ...lines),
    );
  }

  function linkTo(id: number, name: string): HTMLElement {
    return make('a', { href: `post.php?post=${id}&action=edit` }, name || String(id));
  }

  async function forget(): Promise<void> {
    await rest.call('DELETE', '/run');
    await refresh();
  }

  async function refresh(): Promise<void> {
    if (working) return;
    await guarded(async () => {
      const { run } = await rest.call<{ run: Run | null }>('GET', '/run');
      if (run) return showRun(run);
      await showOffer();
    });
  }

  async function showOffer(): Promise<void> {
    const status = await rest.call<{ total: number; optimized: number }>('GET', '/status');
    const lines: (Node | string)[] = [];
    if (chosen.length > 0) {
      lines.push(make('h3', {}, say('bulkSelected', { images: images(chosen.length) })), ...(await offer(chosen)));
    }
    lines.push(make('h3', {}, say('bulkTitle')), make('p', {}, say('bulkCounts', status)), ...(await offer([])));
    if (status.optimized > 0) {
      const confirmed = () => window.confirm(say('restoreConfirm', { images: images(status.optimized) }));
      const restore = () => void (confirmed() && start('restore', []));
      lines.push(make('p', {}, makeButton(say('restoreAll'), restore, 'button-link')));
    }
    tell('');
    body.replaceChildren(...lines);
  }

  /** Returns the price of a run and the button that starts it. */
  async function offer(ids: readonly number[]): Promise<(Node | string)[]> {
    const preview = await rest.call<Preview>('GET', '/run/preview', { query: ids.length > 0 ? { ids } : {} });
    const { cost, textCost, described, balance, sufficient } = preview;
    const counts = { images: images(preview.images), credits: count(cost, 'credits', config) };
    const numbers = { ...counts, textCost, described, balance: balance.toLocaleString(locale) };
    const leftOut = preview.leftOut.length > 0 ? omissions(preview.leftOut) : '';
    if (preview.images === 0) return [make('p', {}, say('bulkNothing')), leftOut];
    const button = makeButton(say('bulkStart', counts), () => void start('optimize', ids), 'button-primary');
    button.disabled = balance === 0;
    return [
      make('p', {}, textCost > 0 ? say('bulkCostTexts', numbers) : say('bulkCost', numbers)),
      sufficient ? '' : make('p', { className: 'notice notice-warning inline' }, say('bulkShort')),
      make('p', {}, button),
      leftOut,
    ];
  }

  /** Lists the images a run leaves out, by reason, with examples. */
  function omissions(groups: Preview['leftOut']): HTMLElement {
    const sum = groups.reduce((all, group) => all + group.count, 0);
    const lines = groups.map(({ message, count: n, examples }) => {
      const links = examples.flatMap(({ id, title }) => [' ', linkTo(id, title)]);
      return make('li', {}, `${n} × ${message}`, ...links, n > examples.length ? ' …' : '');
    });
    const summary = make('summary', {}, say('bulkLeftOut', { n: sum }));
    return make('details', { className: 'imagewright-left-out' }, summary, make('ul', {}, ...lines));
  }

  return { refresh };
}
