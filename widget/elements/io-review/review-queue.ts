import { type Item, isMissingText, type Optimizer } from '../../state/index.ts';
import { isReviewed } from './review-steps.ts';

/** The images of a review in their order, with those that are done: accepted here, or without anything to accept. */
export class ReviewQueue {
  readonly done = new Set<string>();
  readonly #optimizer: Optimizer;
  readonly #ids: readonly string[];

  constructor(optimizer: Optimizer, ids: readonly string[]) {
    this.#optimizer = optimizer;
    this.#ids = ids;
    for (const { id } of this.items().filter(isReviewed)) this.done.add(id);
  }

  /** Returns the images that are still in the list. */
  items(): Item[] {
    return this.#ids.flatMap((id) => this.#optimizer.items.get(id) ?? []);
  }

  /** Returns the id of the next image to be reviewed after a place, else of the first one. */
  nextOpen(place: number): string | undefined {
    const open = this.items().filter(({ id }) => !this.done.has(id));
    return (open.find(({ id }) => this.#ids.indexOf(id) > place) ?? open[0])?.id;
  }

  /** Returns the id of the image before or after a place; images may have been removed meanwhile. */
  beside(place: number, by: 1 | -1): string | undefined {
    let at = place + by;
    while (this.#ids[at] && !this.#optimizer.items.get(this.#ids[at] as string)) at += by;
    return this.#ids[at];
  }

  /** Returns the images whose texts nobody has accepted. */
  rest(): Item[] {
    return this.items().filter((item) => !this.done.has(item.id) && !isMissingText(item));
  }

  /** Accepts the texts of images. */
  accept(items: readonly Item[]): void {
    const ids = items.map(({ id }) => id);
    this.#optimizer.acceptAll(ids);
    for (const id of ids) this.done.add(id);
  }
}
