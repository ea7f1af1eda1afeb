import { comparable, type Dialog, type Shell, type ShellAction } from './shell.ts';
import type { WorkbenchHost } from './workbench-host.ts';

/** Between two downloads, so that the browser takes them for several, in milliseconds. */
const DOWNLOAD_GAP_MS = 200;

/** What the actions need of the page. */
interface Page {
  open(dialog: Dialog): void;
  compare(kind: 'sample' | 'result'): Promise<void>;
  checkCost(): Promise<void>;
  /** Which file of how many is being saved. */
  saving(file: Shell['saving']): void;
  focusBar(): void;
  toggleSettings(): void;
  /** Whether the focus is still where the button of the run was. */
  waitsInBar(): boolean;
}

/** What each button does. What fails is among the notices and told by `io-error`. */
export function createActions(
  { host, view, download }: WorkbenchHost,
  page: Page,
): { [name in ShellAction]: () => unknown } {
  const { optimizer } = view();
  let downloading = false;

  async function sample(): Promise<void> {
    await optimizer.sample();
    await host.updateComplete;
    // Whoever still waits at the button wants to see it; somebody who went on typing is not interrupted.
    if (page.waitsInBar() && optimizer.samples.length > 0) await page.compare('sample');
  }

  async function downloadAll(): Promise<void> {
    if (downloading) return;
    downloading = true;
    try {
      const files = comparable(optimizer.items.list(), 'result').flatMap(
        ({ id, result }) => result?.variants.map(({ name }) => [id, name] as const) ?? [],
      );
      for (const [index, [id, name]] of files.entries()) {
        page.saving({ index: index + 1, count: files.length });
        await download(id, name);
        await new Promise((resolve) => setTimeout(resolve, DOWNLOAD_GAP_MS));
      }
    } finally {
      downloading = false;
      page.saving(null);
    }
  }

  async function replaceAll(): Promise<void> {
    for (const { id, replacement } of comparable(optimizer.items.list(), 'result')) {
      if (replacement?.status !== 'replaced') await optimizer.replace(id);
    }
  }

  return {
    'accept-all': () => optimizer.acceptAll(),
    analyze: () => {
      const { counts, items } = optimizer;
      return optimizer.analyze(undefined, {
        missing: counts.missing > 0 && items.list().some(({ analyzed }) => analyzed),
      });
    },
    cancel: () => optimizer.cancel(),
    'check-cost': page.checkCost,
    'compare-samples': () => page.compare('sample'),
    'confirm-clear': () => page.open({ name: 'clear' }),
    'confirm-export': () => {
      page.open({ name: 'export', first: null });
      return page.checkCost();
    },
    'download-all': downloadAll,
    pause: () => optimizer.pause(),
    redo: () => optimizer.redo(),
    'replace-all': replaceAll,
    resume: () => optimizer.resume(),
    retry: () => optimizer.retry(),
    sample,
    'skip-list': page.focusBar,
    'toggle-settings': page.toggleSettings,
    undo: () => optimizer.undo(),
    upload: () => optimizer.upload(),
  };
}
