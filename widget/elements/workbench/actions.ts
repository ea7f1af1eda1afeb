import type { Item } from '../../state/index.ts';
import { comparable, type Dialog, type WorkbenchAction } from './workbench-context.ts';
import type { WorkbenchHost } from './workbench-host.ts';

/** Parts of the page that the actions need. */
interface Page {
  open(dialog: Dialog): void;
  compare(kind: 'sample' | 'result'): Promise<void>;
  checkCost(): Promise<void>;
  focusBar(): void;
  toggle(name: 'grid' | 'selecting'): void;
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

  const idsOf = (items: readonly Item[]) => items.map(({ id }) => id);
  const selected = () => idsOf(optimizer.items.list().filter((item) => item.selected));
  const confirmExport = (ids?: readonly string[]) => {
    page.open({ name: 'export', ids });
    return page.checkCost();
  };
  const review = (ids: readonly string[]) => page.open({ name: 'review', ids, start: null });

  return {
    'accept-selected': () => optimizer.acceptAll(selected()),
    analyze: () => {
      const { counts, items } = optimizer;
      return optimizer.analyze(undefined, {
        missing: counts.undescribed > 0 && items.list().some(({ analyzed }) => analyzed),
      });
    },
    'analyze-selected': () => optimizer.analyze(selected()),
    cancel: () => optimizer.cancel(),
    'check-cost': page.checkCost,
    'compare-samples': () => page.compare('sample'),
    'confirm-clear': () => page.open({ name: 'clear' }),
    'confirm-export': () => confirmExport(),
    'confirm-export-selected': () => confirmExport(selected()),
    'confirm-remove-selected': () => page.open({ name: 'clear', ids: selected() }),
    'download-all': () => optimizer.downloadAll(save),
    'download-missing': () => optimizer.downloadAll(save, true),
    'edit-selected': () => page.open({ name: 'texts' }),
    pause: () => optimizer.pause(),
    'take-away': () => page.open({ name: 'take-away' }),
    redo: () => optimizer.redo(),
    'replace-all': replaceAll,
    renew: () => optimizer.renew(),
    resume: () => optimizer.resume(),
    retry: () => optimizer.retry(),
    review: () => review(idsOf(optimizer.items.visible())),
    'review-selected': () => review(selected()),
    sample,
    'select-all': () => optimizer.select(idsOf(optimizer.items.visible()), true),
    settings: () => page.open({ name: 'settings' }),
    'skip-list': page.focusBar,
    'toggle-grid': () => page.toggle('grid'),
    'toggle-selecting': () => {
      optimizer.select(selected(), false);
      page.toggle('selecting');
    },
    undo: () => optimizer.undo(),
    upload: () => optimizer.upload(),
  };
}
