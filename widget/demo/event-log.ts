import type { ImageOptimizerEventMap } from '../index.ts';

/** All events of the element; the type makes a missing one an error. */
const NAMES: Record<keyof ImageOptimizerEventMap, true> = {
  'io-before-add': true,
  'io-add': true,
  'io-remove': true,
  'io-reject': true,
  'io-upload-progress': true,
  'io-upload': true,
  'io-analyze-progress': true,
  'io-analyze': true,
  'io-metadata-change': true,
  'io-settings-change': true,
  'io-cost': true,
  'io-sample': true,
  'io-before-export': true,
  'io-export-progress': true,
  'io-export': true,
  'io-download': true,
  'io-replace': true,
  'io-state-change': true,
  'io-error': true,
};
const KEPT = 200;
const DETAIL_LENGTH = 300;

/** Lists the events of the page's elements in `log`, newest first. */
export function logEvents(log: HTMLElement): void {
  const list = log.querySelector('ol') as HTMLElement;
  const count = log.querySelector('.count') as HTMLElement;
  let total = 0;
  let waiting: HTMLElement[] = [];

  function flush(): void {
    list.prepend(...waiting.splice(0).reverse());
    while (list.childElementCount > KEPT) list.lastElementChild?.remove();
    count.textContent = String(total);
  }

  for (const name of Object.keys(NAMES)) {
    document.addEventListener(name, (event) => {
      total += 1;
      if (waiting.length === 0) requestAnimationFrame(flush);
      waiting.push(renderEvent(name, (event as CustomEvent).detail));
      waiting = waiting.slice(-KEPT);
    });
  }
  log.querySelector('button')?.addEventListener('click', () => {
    total = 0;
    list.replaceChildren();
    count.textContent = '0';
  });
}

function renderEvent(name: string, detail: unknown): HTMLElement {
  const row = document.createElement('li');
  const time = document.createElement('time');
  time.textContent = new Date().toLocaleTimeString('en-GB');
  const title = document.createElement('b');
  title.textContent = name;
  const text = document.createElement('span');
  const json = JSON.stringify(detail, (_, value) => (value instanceof Blob ? describeBlob(value) : value)) ?? '';
  text.textContent = json.length > DETAIL_LENGTH ? `${json.slice(0, DETAIL_LENGTH)}…` : json;
  row.append(time, title, text);
  return row;
}

function describeBlob(blob: Blob): string {
  return `${blob instanceof File ? blob.name : 'Blob'} (${blob.size} bytes)`;
}
