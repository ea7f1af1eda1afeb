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

  /** Credits of the account; null if unknown. */
  get balance(): number | null {
    return this.optimizer.balance;
  }

  /** Price of an export; null if unknown. */
  get cost(): Cost | null {
    return this.optimizer.cost;
  }

  /** Results of all exported images. */
  get results(): readonly ImageResult[] {
    return this.optimizer.results;
  }

  /** Adds files, or the data of a drop or paste, including its folders. */
  addFiles(files: FileSource): Promise<AddOutcome> {
    return this.optimizer.addFiles(files, 'api');
  }

  /** Adds media of the CMS: `{id, url or blob, name, title, alt}`. The id becomes the item's `clientRef`. */
  addItems(media: readonly MediaItem[]): Promise<AddOutcome> {
    return this.optimizer.addItems(media);
  }

  /** Removes an image. Without an id it removes the element from the page, as for every element. */
  override remove(id?: string): void {
    if (id === undefined) super.remove();
    else this.optimizer.remove(id);
  }

  /** Removes all images and starts without a session. */
  clear(): void {
    this.optimizer.clear();
  }

  /** Uploads all images that are not uploaded yet. */
  upload(): Promise<void> {
    return this.optimizer.upload();
  }

  /** Analyses images. Default: all. */
  analyze(ids?: readonly string[]): Promise<void> {
    return this.optimizer.analyze(ids);
  }

  /** Makes a free sample of up to five images. Default: a varied selection. @throws RangeError for more than five */
  sample(ids?: readonly string[]): Promise<void> {
    return this.optimizer.sample(ids);
  }

  /** Requests the cost of an export. */
  checkCost(): Promise<Cost | null> {
    return this.optimizer.checkCost();
  }

  /** Exports images without confirmation. Default: all without a result. Null if `io-before-export` was prevented. */
  export(ids?: readonly string[]): Promise<ExportOutcome | null> {
    return this.optimizer.exportImages(ids);
  }

  /** Cancels the run in progress. Finished images keep their results. */
  cancel(): void {
    this.optimizer.cancel();
  }

  /** Retries failed images. Default: all. */
  retry(ids?: readonly string[]): Promise<void> {
    return this.optimizer.retry(ids);
  }

  /** Pauses uploads. */
  pause(): void {
    this.optimizer.pause();
  }

  /** Resumes uploads. */
  resume(): void {
    this.optimizer.resume();
  }

  /** Saves a file of the export, unless a listener of `io-download` takes it. Default variant: `full`. */
  async download(id: string, variant?: string): Promise<void> {
    const file = await this.optimizer.download(id, variant);
    if (file) saveFile(file.blob, file.filename);
  }

  /** Passes an image's result to the CMS by `io-replace`. */
  replace(id: string): Promise<void> {
    return this.optimizer.replace(id);
  }

  /** Returns data a page can store to restore the element after a reload. */
  getState(): SavedState {
    return this.optimizer.getState();
  }

  /** Restores the state of `getState()`. */
  restore(state: SavedState): Promise<void> {
    return this.optimizer.restore(state);
  }
}
