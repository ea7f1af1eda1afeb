import { comparable, type Dialog, type WorkbenchAction } from './workbench-context.ts';
import type { WorkbenchHost } from './workbench-host.ts';

/** Parts of the page that the actions need. */
interface Page {
  open(dialog: Dialog): void;
  compare(kind: 'sample' | 'result'): Promise<void>;
  checkCost(): Promise<void>;
  focusBar(): void;
  toggleSettings(): void;
  /** True if the focus is still in the bar. */
  waitsInBar(): boolean;
}

/** Creates the actions of the buttons. Failures appear as notices and as `io-error`. */
export function createActions(
  { host, properties, save }: WorkbenchHost,
  page: Page,
): { [name in WorkbenchAction]: () => unknown } {
  const { optimizer } = properties();

  async function sample(): Promise<void> {
    await optimizer.sample();
    await host.updateComplete;
    // Opens only if the focus has stayed, so that typing elsewhere is not interrupted.
    if (page.waitsInBar() && optimizer.samples.length > 0) await page.compare('sample');
  }

  async function replaceAll(): Promise<void> {
    for (const { id, replacement } of comparable(optimizer.items.list(), 'result')) {
      if (replacement?.status !== 'replaced') await optimizer.replace(id);
    }
  }

  return {
    analyze: () => {
      const { counts, items } = optimizer;
      return optimizer.analyze(undefined, {
        missing: counts.undescribed > 0 && items.list().some(({ analyzed }) => analyzed),
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
    'download-all': () => optimizer.downloadAll(save),
    'download-missing': () => optimizer.downloadAll(save, true),
    pause: () => optimizer.pause(),
    'take-away': () => page.open({ name: 'take-away' }),
    redo: () => optimizer.redo(),
    'replace-all': replaceAll,
    renew: () => optimizer.renew(),
    resume: () => optimizer.resume(),
    retry: () => optimizer.retry(),
    review: () => page.open({ name: 'review', ids: optimizer.items.visible().map(({ id }) => id), start: null }),
    sample,
    'skip-list': page.focusBar,
    'toggle-settings': page.toggleSettings,
    undo: () => optimizer.undo(),
    upload: () => optimizer.upload(),
  };
}
