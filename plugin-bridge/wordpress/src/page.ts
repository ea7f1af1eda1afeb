// Starts the page Media > Optimize. Each tab is started when it is shown first.
import { BulkPanel } from './bulk-panel.ts';
import { createRest } from './rest.ts';
import { createReview } from './review.ts';
import { readConfig } from './site-config.ts';
import { connectTabs } from './tabs.ts';
import { addWeighPanel } from './weigh-panel.ts';

const nav = document.querySelector<HTMLElement>('.imagewright .nav-tab-wrapper');
if (nav) start(nav);

function start(tabs: HTMLElement): void {
  const config = readConfig();
  const tools = { rest: createRest(config), config };
  const place = (name: string) => document.querySelector<HTMLElement>(`#imagewright-${name}`) as HTMLElement;
  const idsOf = (element: HTMLElement) => (element.dataset.ids ?? '').split(',').filter(Boolean);
  let panel: BulkPanel | null = null;
  const started = new Set<string>();
  const starters: Record<string, () => unknown> = {
    async review() {
      const ids = idsOf(place('review'));
      const { add } = await createReview(place('review'), { ...tools, changed: () => void panel?.refresh() });
      if (ids.length > 0) await add(ids);
    },
    library() {
      panel = new BulkPanel(place('bulk'), { ...tools, chosen: idsOf(place('bulk')).map(Number) });
    },
    weigh: () => addWeighPanel(place('weigh'), tools),
  };
  connectTabs(tabs, (tab) => {
    if (!started.has(tab)) void starters[tab]?.();
    started.add(tab);
    // Other tabs and other people may have changed the library meanwhile.
    if (tab === 'library') void panel?.refresh();
    if (tab === 'report' && started.size > 1) void readAgain('imagewright-tab-report');
  });
}

let reads = 0;

/** Takes a section that PHP prints from a new copy of this page. It stays as it is if the site does not respond. */
async function readAgain(id: string): Promise<void> {
  reads += 1;
  const own = reads;
  const answer = await fetch(location.href, { credentials: 'same-origin' }).catch(() => null);
  if (!answer?.ok || own !== reads) return;
  const copy = new DOMParser().parseFromString(await answer.text(), 'text/html').getElementById(id);
  if (copy) document.getElementById(id)?.replaceChildren(...copy.childNodes);
}
