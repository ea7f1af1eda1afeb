import { make, makeButton } from './make.ts';
import { type Rest, RestError } from './rest.ts';
import { type LibraryImage, type SiteConfig, textOf } from './site-config.ts';

type Item = LibraryImage & { large: string };

interface Part {
  items: Item[];
  /** Cursor of the next part; empty after the last. */
  cursor: string;
  /** Of all parts; null but in the first one. */
  total: number | null;
  /** True if there are more than `total`. */
  more: boolean;
}

/** Shows the unconfirmed texts of a model, one by one. Each decision has a key. */
export class TextQueue {
  readonly #rest: Rest;
  readonly #config: SiteConfig;
  readonly #body = make('div', { className: 'imagewright-queue' });
  readonly #status = make('p', { className: 'imagewright-news' });
  #items: Item[] = [];
  #cursor: string | null = null;
  #left = 0;
  #more = false;

  constructor(place: HTMLElement, { rest, config }: { rest: Rest; config: SiteConfig }) {
    this.#rest = rest;
    this.#config = config;
    this.#status.setAttribute('role', 'status');
    place.append(make('h2', {}, this.#say('queueTitle')), this.#status, this.#body);
  }

  /** Loads the first images. Does not take the focus. */
  async begin(): Promise<void> {
    await this.#guarded(async () => {
      await this.#load();
      this.#show(false);
    });
  }

  async #load(): Promise<void> {
    while (this.#items.length === 0 && this.#cursor !== '') {
      const query = { cursor: this.#cursor ?? '' };
      const part = await this.#rest.call<Part>('GET', '/texts/unconfirmed', { query });
      if (part.total !== null) [this.#left, this.#more] = [part.total, part.more];
      this.#items = part.items;
      this.#cursor = part.cursor;
      if (this.#more && part.cursor === '') [this.#left, this.#more] = [part.items.length, false];
    }
  }

  #show(takesFocus: boolean): void {
    const [item] = this.#items;
    if (!item) {
      this.#body.replaceChildren(make('p', {}, this.#say('queueEmpty')));
      return;
    }
    const field = make('textarea', { rows: 3, value: item.alt, maxLength: 1000, dir: 'auto' });
    field.addEventListener('keydown', (event) => this.#key(event, item, field));
    const button = (key: string, shortcut: string, click: () => void, kind = '') => {
      const made = makeButton(this.#say(key), click, kind);
      made.setAttribute('aria-keyshortcuts', shortcut);
      return made;
    };
    const accept = button('queueAccept', 'Enter', () => void this.#decide(item, field.value), 'button-primary');
    field.addEventListener('input', () => {
      accept.textContent = this.#say(field.value.trim() === item.alt ? 'queueAccept' : 'queueChange');
    });
    this.#body.replaceChildren(
      make('img', { src: item.large || item.thumb, alt: '' }),
      make(
        'div',
        {},
        make('p', {}, make('a', { href: item.editLink }, item.title || item.filename)),
        make('label', {}, this.#say('queueText', { name: item.filename }), field),
        make(
          'p',
          { className: 'imagewright-ways' },
          accept,
          button('queueReject', 'Control+Delete', () => void this.#decide(item, '')),
          button('queueLater', 'Control+ArrowDown', () => void this.#next()),
        ),
        make('p', { className: 'description' }, this.#say('queueKeys')),
      ),
    );
    if (takesFocus) field.focus();
  }

  #key(event: KeyboardEvent, item: Item, field: HTMLTextAreaElement): void {
    const actions: Record<string, () => unknown> = {
      Enter: () => this.#decide(item, field.value),
      'Control Delete': () => this.#decide(item, ''),
      'Control ArrowDown': () => this.#next(),
      Escape: () => {
        field.value = item.alt;
        field.dispatchEvent(new Event('input'));
      },
    };
    const action = event.isComposing ? undefined : actions[`${event.ctrlKey ? 'Control ' : ''}${event.key}`];
    if (!action || event.shiftKey || event.altKey) return;
    event.preventDefault();
    action();
  }

  /** Stores a text: the same one is accepted, another is that of the user, none rejects it. */
  async #decide(item: Item, text: string): Promise<void> {
    if (this.#items[0] !== item || this.#body.ariaBusy === 'true') return;
    this.#body.ariaBusy = 'true';
    const alt = text.trim();
    await this.#guarded(async () => {
      await this.#rest.call('POST', `/attachments/${item.id}/text`, { json: { was: item.alt, alt } });
      this.#left -= 1;
      await this.#next(alt === '' ? 'queueRejected' : alt === item.alt ? 'queueAccepted' : 'queueChanged');
    });
    this.#body.ariaBusy = 'false';
  }

  async #next(said = ''): Promise<void> {
    this.#items.shift();
    await this.#load();
    this.#show(true);
    const left = this.#say('queueLeft', { n: this.#more ? `${Math.max(1, this.#left)}+` : Math.max(0, this.#left) });
    this.#status.textContent = said ? `${this.#say(said)} ${left}` : left;
  }

  async #guarded(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof RestError)) throw error;
      this.#status.textContent = error.message;
    }
  }

  #say(key: string, values?: Record<string, string | number>): string {
    return textOf(this.#config, key, values);
  }
}
