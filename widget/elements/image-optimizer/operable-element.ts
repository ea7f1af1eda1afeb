import type { ImageResult } from '#contract';
import type {
  AddOutcome,
  Cost,
  ExportOutcome,
  FileSource,
  Item,
  MediaItem,
  OptimizerState,
  SavedState,
} from '../../state/index.ts';
import { ConfiguredElement } from './configured-element.ts';
import { saveFile } from './save-file.ts';

/** Public state and methods of the element. */
export class OperableElement extends ConfiguredElement {
  /** All images, in the order of adding. */
  get items(): readonly Item[] {
    return this.optimizer.items.list();
  }

  /** Current state. */
  get state(): OptimizerState {
    return this.optimizer.state;
  }

  /** Credits of the account; null while they are unknown. */
  get balance(): number | null {
    return this.optimizer.balance;
  }

  /** Price of an export; null while it is unknown. */
  get cost(): Cost | null {
    return this.optimizer.cost;
  }

  /** Results of all exported images. */
  get results(): readonly ImageResult[] {
    return this.optimizer.results;
  }

  /** Adds files, or what was dropped or pasted: folders in it are walked. */
  addFiles(files: FileSource): Promise<AddOutcome> {
    return this.optimizer.addFiles(files, 'api');
  }

  /** Adds media of the CMS: `{id, url or blob, name, title, alt}`. The id comes back as `clientRef`. */
  addItems(media: readonly MediaItem[]): Promise<AddOutcome> {
    return this.optimizer.addItems(media);
  }

  /** Takes an image out. Without an id it is what every element has: it leaves the page. */
  override remove(id?: string): void {
    if (id === undefined) super.remove();
    else this.optimizer.remove(id);
  }

  /** Takes all images out and forgets the session. */
  clear(): void {
    this.optimizer.clear();
  }

  /** Uploads what is not uploaded yet. */
  upload(): Promise<void> {
    return this.optimizer.upload();
  }

  /** Describes images; default: all. */
  analyze(ids?: readonly string[]): Promise<void> {
    return this.optimizer.analyze(ids);
  }

  /** Makes a free sample of up to five images; default: some that differ. @throws RangeError for more than five */
  sample(ids?: readonly string[]): Promise<void> {
    return this.optimizer.sample(ids);
  }

  /** Asks what an export would cost. */
  checkCost(): Promise<Cost | null> {
    return this.optimizer.checkCost();
  }

  /** Exports images, without asking; default: all that have no result. Null when `io-before-export` was prevented. */
  export(ids?: readonly string[]): Promise<ExportOutcome | null> {
    return this.optimizer.exportImages(ids);
  }

  /** Stops what runs; what is finished stays. */
  cancel(): void {
    this.optimizer.cancel();
  }

  /** Does again what failed; default: all of it. */
  retry(ids?: readonly string[]): Promise<void> {
    return this.optimizer.retry(ids);
  }

  /** Holds uploads back. */
  pause(): void {
    this.optimizer.pause();
  }

  /** Goes on with uploads. */
  resume(): void {
    this.optimizer.resume();
  }

  /** Saves a file of the export, unless a listener of `io-download` takes it. Default variant: `full`. */
  async download(id: string, variant?: string): Promise<void> {
    const file = await this.optimizer.download(id, variant);
    if (file) saveFile(file.blob, file.filename);
  }

  /** Hands an image's result to the CMS by `io-replace`. */
  replace(id: string): Promise<void> {
    return this.optimizer.replace(id);
  }

  /** Data that a page may store to restore the element after a reload. */
  getState(): SavedState {
    return this.optimizer.getState();
  }

  /** Brings back what `getState` gave. */
  restore(state: SavedState): Promise<void> {
    return this.optimizer.restore(state);
  }
}
