import { formatBytes, make, makeButton } from './make.ts';
import { type Rest, RestError } from './rest.ts';
import { count, type SiteConfig, textOf } from './site-config.ts';

type Screen = 'phone' | 'desktop';
type Pair<T> = [before: T, after: T];

/** Weight of a page as returned by the plugin's route. */
export interface PageWeight {
  totals: Record<Screen, { before: number; after: number }>;
  images: ({
    name: string;
    attributes: Record<'srcset' | 'width' | 'height' | 'loading' | 'fetchpriority', Pair<boolean>>;
  } & Record<Screen, Pair<number | null>>)[];
  /** False if the page shows other images each time, so that lines may not belong together. */
  complete: boolean;
}

const SCREENS: readonly Screen[] = ['phone', 'desktop'];

/** Adds the form that weighs a page: bytes, `srcset` and lazy loading of each image before and after. */
export function addWeighPanel(place: HTMLElement, { rest, config }: { rest: Rest; config: SiteConfig }): void {
  const textFor = (key: string, values?: Record<string, string | number>) => textOf(config, key, values);
  const address = make('input', { type: 'url', className: 'regular-text code', value: config.homeUrl, required: true });
  const status = make('p', { className: 'imagewright-news' });
  status.setAttribute('role', 'status');
  const table = make('div', { className: 'imagewright-weights' });
  const button = makeButton(textFor('weigh'), () => void weigh());
  const form = make('form', {}, make('label', {}, textFor('weighAddress'), ' ', address), ' ', button);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void weigh();
  });
  place.append(make('p', {}, textFor('weighHelp')), form, status, table);

  async function weigh(): Promise<void> {
    if (!address.reportValidity()) return;
    button.disabled = true;
    status.textContent = textFor('working');
    try {
      const weight = await rest.call<PageWeight>('POST', '/weigh', { json: { url: address.value } });
      status.textContent = summary(weight, config);
      // A page without images has no table, not even its head.
      table.replaceChildren(...(weight.images.length > 0 ? [renderTable(weight, config)] : []));
    } catch (error) {
      if (!(error instanceof RestError)) throw error;
      status.textContent = error.message;
      table.replaceChildren();
    }
    button.disabled = false;
  }
}

/** The totals of both screens in words. */
function summary({ totals, complete, images }: PageWeight, config: SiteConfig): string {
  if (images.length === 0) return textOf(config, 'weighNone');
  const isKnown = (image: PageWeight['images'][number]) => SCREENS.some((screen) => image[screen][1] !== null);
  if (!images.some(isKnown)) return textOf(config, 'weighForeign', { images: count(images.length, 'images', config) });
  const parts = SCREENS.map((screen) =>
    textOf(config, screen === 'phone' ? 'weighPhone' : 'weighDesktop', {
      before: formatBytes(totals[screen].before, config),
      after: formatBytes(totals[screen].after, config),
    }),
  );
  return [...parts, complete ? '' : textOf(config, 'weighOthers')].join(' ').trim();
}

function renderTable({ images }: PageWeight, config: SiteConfig): HTMLElement {
  const head = ['weighImage', 'weighPhoneHead', 'weighDesktopHead', 'weighAttributes'].map((key) => {
    const cell = make('th', {}, textOf(config, key));
    cell.scope = 'col';
    return cell;
  });
  const rows = images.map((image) =>
    make(
      'tr',
      {},
      make('td', {}, image.name),
      // Sizes and their arrow read from left to right in every language.
      ...SCREENS.map((screen) => make('td', {}, make('span', { dir: 'ltr' }, change(image[screen], config)))),
      make('td', {}, attributes(image.attributes, config)),
    ),
  );
  return make(
    'table',
    { className: 'widefat striped' },
    make('thead', {}, make('tr', {}, ...head)),
    make('tbody', {}, ...rows),
  );
}

function change([before, after]: Pair<number | null>, config: SiteConfig): string {
  const text = (bytes: number | null) =>
    bytes === null ? textOf(config, 'weighElsewhere') : formatBytes(bytes, config);
  return before === after ? text(after) : `${text(before)} → ${text(after)}`;
}

/** Names the attributes and marks added and removed ones. */
function attributes(found: PageWeight['images'][number]['attributes'], config: SiteConfig): string {
  return Object.entries(found)
    .filter(([, [before, after]]) => before || after)
    .map(([name, [before, after]]) => {
      const shown = name === 'loading' ? textOf(config, 'weighLazy') : name;
      return before === after ? shown : `${after ? '+' : '−'}${shown}`;
    })
    .join(', ');
}
