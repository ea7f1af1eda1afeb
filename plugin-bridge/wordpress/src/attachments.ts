// Handles the buttons in the status of attachments, and shows how it changes: in the media list, the grid, the details and the media modal.
import { ask } from './ask.ts';
import { addGridFilter } from './grid-filter.ts';
import { markTile, markTiles, pendingTiles } from './grid-states.ts';
import { questionOf } from './question-of.ts';
import { createRest, RestError } from './rest.ts';
import { type LibraryImage, readConfig } from './site-config.ts';

const config = readConfig();
const rest = createRest(config);

document.addEventListener('click', (event) => {
  const button = (event.target as Element).closest<HTMLButtonElement>('[data-imagewright-action]');
  const status = button?.closest<HTMLElement>('[data-imagewright-id]');
  if (!button || !status) return;
  event.preventDefault();
  void act(status, button.dataset.imagewrightAction === 'restore' ? 'restore' : 'optimize');
});

/** Markup of a status, as the details and as the media list show it. Escaped by the same PHP that printed the page. */
interface Markup {
  html: string;
  cell: string;
}

/** Shows a new status in the place of another, in the same form. */
function replaceStatus(shown: HTMLElement, { html, cell }: Markup): void {
  shown.outerHTML = shown.dataset.imagewrightForm === 'cell' ? cell : html;
}

// A menu of the list closes like one of the system.
for (const kind of ['click', 'keydown'] as const) {
  document.addEventListener(kind, (event) => {
    const isEscape = event instanceof KeyboardEvent && event.key === 'Escape';
    if (kind === 'keydown' && !isEscape) return;
    for (const menu of document.querySelectorAll<HTMLDetailsElement>('.imagewright-menu[open]')) {
      if (!isEscape && menu.contains(event.target as Node)) continue;
      if (isEscape && menu.contains(document.activeElement)) menu.querySelector('summary')?.focus();
      menu.open = false;
    }
  });
}

addGridFilter(config);

function show(): void {
  enableButtons();
  markTiles();
}

/** Enables the buttons, which PHP prints disabled until this script listens. The media modal adds more later. */
function enableButtons(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>('[data-imagewright-waits]')) {
    button.disabled = false;
    button.removeAttribute('data-imagewright-waits');
  }
}
new MutationObserver(show).observe(document.body, { childList: true, subtree: true });
show();
setInterval(() => void refreshPending(), 2000);

/** Updates the attachments on this screen that wait or are in progress. */
async function refreshPending(): Promise<void> {
  const pending = document.querySelectorAll<HTMLElement>('[data-status="queued"], [data-status="working"]');
  const listed = [...pending].map(({ dataset }) => Number(dataset.imagewrightId));
  const ids = [...new Set([...listed, ...pendingTiles()])].slice(0, 100);
  if (ids.length === 0 || document.hidden) return;
  void workOnce();
  const states = await rest.call<(Markup & { id: number })[]>('GET', '/states', { query: { ids } }).catch(() => []);
  for (const { id, ...markup } of states) {
    const shown = document.querySelector<HTMLElement>(`[data-imagewright-id="${id}"]`);
    markTile(id, markup.html);
    if (shown && !markup.html.includes(`data-status="${shown.dataset.status}"`)) replaceStatus(shown, markup);
  }
  enableButtons();
}

let isWorking = false;

/** Works on the queue for some seconds, so that an upload does not wait for WP-Cron. */
async function workOnce(): Promise<void> {
  if (isWorking) return;
  isWorking = true;
  await rest.call('POST', '/run/work', { json: {} }).catch(() => {});
  isWorking = false;
}

/** Optimizes or restores one attachment and shows its new status. */
async function act(status: HTMLElement, action: 'optimize' | 'restore', force = false): Promise<void> {
  const id = Number(status.dataset.imagewrightId);
  const text = status.querySelector('.imagewright-status-text');
  const pill = status.querySelector('.imagewright-pill');
  const was = pill?.textContent ?? '';
  const buttons = [...status.querySelectorAll('button')];
  for (const button of buttons) button.disabled = true;
  for (const place of [text, pill]) if (place) place.textContent = config.strings.working ?? '';
  try {
    // The button shows the price of the image alone. Only bulk runs show, and pay for, texts.
    const json = action === 'restore' ? { force } : { fillText: false, allowLarger: force };
    const done = await rest.call<LibraryImage & Markup>('POST', `/attachments/${id}/${action}`, { json });
    replaceStatus(status, done);
    markTile(id, done.html);
    enableButtons();
    document.querySelector<HTMLElement>(`[data-imagewright-id="${id}"] :is(summary, button)`)?.focus();
    // The media modal caches the attachment.
    window.wp?.media?.attachment?.(id).fetch();
  } catch (error) {
    if (!(error instanceof RestError)) throw error;
    for (const button of buttons) button.disabled = false;
    if (text) text.textContent = error.message;
    if (pill) pill.textContent = was;
    const question = force ? null : questionOf(error, config.strings);
    const yes = config.strings.continue ?? '';
    if (question && (await ask([question], { yes, config }))) await act(status, action, true);
  }
}
