import { html, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { I18n } from '../../i18n/index.ts';
import { type Item, isMissingText, type Optimizer, wantsReview } from '../../state/index.ts';
import { icon } from '../../styles/index.ts';
import { createThumbQueue } from '../io-row/index.ts';

/** Most images of the strip on either side of the shown one. */
const AROUND = 30;

/** Images of the strip, and what a press does. */
interface Strip {
  items: readonly Item[];
  /** Index of the shown image. */
  place: number;
  done: ReadonlySet<string>;
  show(id: string): void;
}

/** Creates the film strip of a review. Its thumbnails stay until the review is closed; `changed` is called with each new one. */
export function createFilmStrip(optimizer: Optimizer, changed: () => void) {
  const thumbs = createThumbQueue({ optimizer });
  const pictures = new Map<string, HTMLCanvasElement | null>();
  // Has no size of its own, so that thumbnails get the default one.
  const place = document.createElement('i');

  function pictureOf(item: Item) {
    if (!pictures.has(item.id)) {
      pictures.set(item.id, null);
      thumbs.show(item, place, (picture) => {
        pictures.set(item.id, picture);
        changed();
      });
    }
    return pictures.get(item.id) ?? icon('image');
  }

  /** Renders the images around the shown one, each with the dot of its state. */
  return ({ items, place, done, show }: Strip, { t }: I18n): TemplateResult => {
    const first = Math.max(0, place - AROUND);
    return html`<div class="strip" role="group" aria-label=${t('list.label')}>${repeat(
      items.slice(first, place + AROUND + 1),
      ({ id }) => id,
      (item, at) => {
        const shown = first + at === place;
        const [tone, state] = stateOf(item, done);
        const position = t('reviewing.position', { index: first + at + 1, count: items.length });
        return html`<button type="button" class="badge ${tone}" aria-label="${position}, ${item.name}, ${t(state)}"
          aria-current=${shown} tabindex=${shown ? 0 : -1} @click=${() => show(item.id)}>${pictureOf(item)}</button>`;
      },
    )}</div>`;
  };
}

/** Returns the tone of the dot and the text of an image's state. */
function stateOf(item: Item, done: ReadonlySet<string>): [tone: string, text: string] {
  if (done.has(item.id)) return ['success', 'row.checked'];
  return isMissingText(item) || wantsReview(item) ? ['warning', 'filter.review'] : ['ring', 'row.suggested'];
}
