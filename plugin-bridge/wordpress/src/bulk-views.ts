import type { Run } from './bulk-run.ts';
import { formatBytes, formatNumber, make, makeButton } from './make.ts';
import { count, type SiteConfig, textOf } from './site-config.ts';

/** Price of a run. */
export interface Preview {
  images: number;
  /** Images that are repaired without an export, free of charge. */
  repairs: number;
  /** Images left out, by reason. */
  leftOut: { message: string; count: number; examples: { id: number; title: string }[] }[];
  /** Images to be described. Their price is `textCost`. */
  described: number;
  textCost: number;
  /** Reason why no texts are written although they are switched on; empty if there is none. */
  textNote: string;
  /** Total price in credits. */
  cost: number;
  balance: number;
  sufficient: boolean;
}

/** State and callbacks of a shown run. */
export interface RunControls {
  /** True while this window processes the run. */
  working: boolean;
  /** True after a click on Stop. */
  stopping: boolean;
  stop(): void;
  resume(): void;
  /** Discards the run, so that the next one can be offered. */
  close(): void;
  /** Restores the images of the run. */
  undo(): void;
}

type Parts = (Node | string)[];

/** Renders a run: progress, failures, buttons. `text` is the state in words. */
export function renderRun(run: Run, config: SiteConfig, controls: RunControls): { text: string; parts: Parts } {
  const { working } = controls;
  const key = working ? 'bulkRunning' : run.state === 'done' ? 'bulkDone' : 'bulkStopped';
  const text = textOf(config, key, { done: run.done, total: run.total });
  const bar = make('progress', { max: Math.max(1, run.total), value: run.done + run.noGain + run.failedCount });
  bar.setAttribute('aria-label', text);
  const parts = [
    make(
      'p',
      { className: 'imagewright-run', ariaBusy: String(working) },
      bar,
      ' ',
      `${text} ${savedText(run, config)}`,
    ),
    run.reason && !working ? make('p', { className: 'notice notice-warning inline' }, run.reason.message) : '',
    working ? make('p', {}, run.waiting || textOf(config, 'bulkBackground')) : '',
    run.noGain > 0 ? make('p', {}, textOf(config, 'bulkNoGain', { images: count(run.noGain, 'images', config) })) : '',
    run.failedCount > 0 ? renderFailures(run, config) : '',
    make('p', { className: 'imagewright-ways' }, ...renderButtons(run, config, controls)),
  ];
  return { text, parts };
}

function savedText({ kind, bytes }: Run, config: SiteConfig): string {
  if (kind !== 'optimize' || bytes.before === 0) return '';
  const [before, after] = [formatBytes(bytes.before, config), formatBytes(bytes.after, config)];
  return textOf(config, 'bulkSaved', { before, after });
}

/** Most images of a run that are restored as such; with more, the whole library is offered alone. */
const MOST_UNDONE = 2000;

function renderButtons(run: Run, config: SiteConfig, controls: RunControls): HTMLElement[] {
  const { working, stopping, stop, resume, close } = controls;
  if (working) {
    const stops = stopping || run.state !== 'running';
    // A disabled button would lose the focus.
    const button = makeButton(textOf(config, 'bulkStop'), () => stops || stop(), stops ? 'disabled' : '');
    button.ariaDisabled = String(stops);
    return [button];
  }
  const ways = [...renderWaysOn(run, config, controls), makeButton(textOf(config, 'bulkForget'), close)];
  if (run.state === 'done') return ways;
  return [makeButton(textOf(config, 'bulkResume'), resume, 'button-primary'), ...ways];
}

/** Renders the ways on from a run that has optimized images: to see them, and to undo it. */
function renderWaysOn({ id, kind, state, done }: Run, config: SiteConfig, { undo }: RunControls): HTMLElement[] {
  if (kind !== 'optimize' || done === 0) return [];
  const href = `${config.libraryUrl}&imagewright_state=optimized&imagewright_run=${id}`;
  const className = state === 'done' ? 'button button-primary' : 'button';
  const see = make('a', { className, href }, textOf(config, 'bulkSee', { images: count(done, 'images', config) }));
  return done > MOST_UNDONE ? [see] : [see, makeButton(textOf(config, 'bulkUndo'), undo)];
}

function renderFailures({ failed, failedCount }: Run, config: SiteConfig): HTMLElement {
  const lines = failed.map(({ id, title, message }) => make('li', {}, linkTo(id, title), `: ${message}`));
  const heading = textOf(config, 'bulkFailed', { images: count(failedCount, 'images', config) });
  if (failedCount > failed.length) lines.push(make('li', {}, '…'));
  return make('div', {}, make('p', {}, heading), make('ul', {}, ...lines));
}

/** Returns the question that is asked before credits are spent: with the price, what stays, and the settings. */
export function spendQuestion({ images, cost, balance, sufficient }: Preview, config: SiteConfig): string[] {
  const credits = (n: number) => count(n, 'credits', config);
  return [
    textOf(config, 'bulkAsk', { images: count(images, 'images', config), credits: credits(cost) }),
    sufficient
      ? textOf(config, 'bulkAskLeft', { balance: credits(balance), left: credits(balance - cost) })
      : textOf(config, 'bulkShort'),
    textOf(config, 'bulkSettings'),
  ];
}

/** Renders the price of a run and the button that starts it. */
export function renderOffer(preview: Preview, config: SiteConfig, start: () => void): Parts {
  const { images, repairs, leftOut, cost, textCost, described, textNote, balance, sufficient } = preview;
  const omissions = leftOut.length > 0 ? renderOmissions(leftOut, config) : '';
  if (images === 0) return [make('p', {}, textOf(config, 'bulkNothing')), omissions];
  const counts = { images: count(images, 'images', config), credits: count(cost, 'credits', config) };
  const numbers = { ...counts, textCost, described, balance };
  const button = makeButton(textOf(config, 'bulkStart', counts), start, 'button-primary');
  button.disabled = balance === 0 && cost > 0;
  return [
    make('p', {}, textOf(config, textCost > 0 ? 'bulkCostTexts' : 'bulkCost', numbers)),
    make('p', {}, `${textOf(config, 'bulkSettings')} ${textOf(config, 'bulkSkips')}`),
    repairs > 0 ? make('p', {}, textOf(config, 'bulkRepairs', { images: count(repairs, 'images', config) })) : '',
    textNote ? make('p', { className: 'notice notice-warning inline' }, textNote) : '',
    sufficient ? '' : make('p', { className: 'notice notice-warning inline' }, textOf(config, 'bulkShort')),
    make('p', {}, button),
    omissions,
  ];
}

/** Lists the images a run leaves out, by reason, with examples. */
function renderOmissions(groups: Preview['leftOut'], config: SiteConfig): HTMLElement {
  const sum = groups.reduce((all, group) => all + group.count, 0);
  const lines = groups.map(({ message, count: n, examples }) => {
    const links = examples.flatMap(({ id, title }) => [' ', linkTo(id, title)]);
    return make('li', {}, `${formatNumber(n, config)} × ${message}`, ...links, n > examples.length ? ' …' : '');
  });
  const summary = make('summary', {}, textOf(config, 'bulkLeftOut', { n: sum }));
  return make('details', { className: 'imagewright-left-out' }, summary, make('ul', {}, ...lines));
}

function linkTo(id: number, title: string): HTMLElement {
  return make('a', { href: `post.php?post=${id}&action=edit` }, title || String(id));
}
