import type { ImageResult, Preset } from '#contract';
import { PRESETS } from '#contract/constants';
import type { Item, Optimizer } from '../../state/index.ts';
import type { ComparePair } from '../io-compare/index.ts';
import { resultSide } from './comparison.ts';

/** A sample of one image with one preset. In progress without a result or error. */
export interface Trial {
  readonly result?: ImageResult;
  /** Message of the error, in the language of the element. */
  readonly error?: string;
}

/**
 * Samples of the compared images with all presets: those of the image in sight are made one after the other, the chosen one first. Each
 * is made once, and kept in memory as long as its image.
 */
export class PresetTrials {
  readonly #optimizer: () => Optimizer;
  readonly #changed: () => void;
  readonly #trials = new Map<string, Trial>();
  readonly #pairs = new WeakMap<ImageResult, ComparePair>();
  /** Files of samples that a later sample of the same image replaces at the service. */
  readonly #files = new WeakMap<ImageResult, Promise<Blob>>();
  #able = true;
  #working = false;
  #closing = new AbortController();
  #kind: 'sample' | 'result' = 'sample';
  #shown = '';
  /** Chosen preset; null: that of each image's own sample or result. */
  #chosen: Preset | null = null;

  constructor(optimizer: () => Optimizer, changed: () => void) {
    this.#optimizer = optimizer;
    this.#changed = changed;
  }

  /** Begins with a comparison of samples or results. Trials of removed images are forgotten. `able`: samples may be made. */
  begin(kind: 'sample' | 'result', id: string, able: boolean): void {
    this.#kind = kind;
    this.#able = able;
    this.#chosen = null;
    const { items } = this.#optimizer();
    for (const key of this.#trials.keys()) if (!items.get(key.split(' ')[0] ?? '')) this.#trials.delete(key);
    this.show(id);
  }

  /** Stops what is being made. */
  end(): void {
    this.#shown = '';
    this.#closing.abort();
    this.#closing = new AbortController();
    for (const [key, { result }] of this.#trials) if (!result) this.#trials.delete(key);
  }

  /** Another image is shown; it is sampled with the chosen preset too, and then with the others. */
  show(id: string): void {
    this.#shown = id;
    void this.#fill();
  }

  /** Preset of the shown file. */
  get preset(): string {
    return this.#chosen ?? this.#own?.quality.preset ?? '';
  }

  /** Shows the image with a preset. One that has failed is tried again. */
  choose(preset: Preset): void {
    this.#chosen = preset;
    if (this.trial(preset)?.error) this.#trials.delete(this.#keyOf(this.#shown, preset));
    void this.#fill();
    this.#changed();
  }

  /** Sample or result of the shown image with a preset; undefined: not tried. */
  trial(preset: Preset): Trial | undefined {
    const own = this.#own;
    return own?.quality.preset === preset ? { result: own } : this.#trials.get(this.#keyOf(this.#shown, preset));
  }

  /** File of a sample that was replaced at the service; undefined: it is still there. */
  fileOf(result: ImageResult): Promise<Blob> | undefined {
    return this.#files.get(result);
  }

  /** Both sides of an image: with the chosen preset as soon as there is a sample, else as it was made. */
  pairOf(pair: ComparePair): ComparePair {
    const preset = this.#chosen;
    const item = this.#optimizer().items.get(pair.id);
    const result = preset && this.#trials.get(this.#keyOf(pair.id, preset))?.result;
    if (!item || !result || item[this.#kind]?.quality.preset === preset) return pair;
    const known = this.#pairs.get(result) ?? {
      ...pair,
      result: resultSide(result, () => this.#keep(result)) ?? pair.result,
    };
    this.#pairs.set(result, known);
    return known;
  }

  get #item(): Item | undefined {
    return this.#optimizer().items.get(this.#shown);
  }

  get #own(): ImageResult | null | undefined {
    return this.#item?.[this.#kind];
  }

  #keyOf(id: string, preset: Preset): string {
    return `${id} ${this.#optimizer().settings.format} ${preset}`;
  }

  /** Makes what is missing of the shown image. Samples of an image have one name at the service, so each is fetched before the next. */
  async #fill(): Promise<void> {
    if (this.#working || !this.#able) return;
    this.#working = true;
    for (;;) {
      const item = this.#item;
      const chosen = this.#chosen;
      const preset = [...(chosen ? [chosen] : []), ...PRESETS].find((each) => !this.trial(each));
      // Whoever chose a preset is told of a failure; what nobody asked for stays empty.
      if (!item || !preset || ((await this.#make(item, preset)) && preset !== this.#chosen)) break;
    }
    this.#working = false;
  }

  /** Makes one sample. Returns true if it failed. */
  async #make(item: Item, preset: Preset): Promise<boolean> {
    const key = this.#keyOf(item.id, preset);
    const { signal } = this.#closing;
    this.#trials.set(key, {});
    this.#changed();
    let failed = false;
    try {
      this.#trials.set(key, { result: await this.#sample(item, preset, signal) });
    } catch (cause) {
      failed = !signal.aborted;
      if (failed && preset === this.#chosen) this.#trials.set(key, { error: (cause as Error).message });
      else this.#trials.delete(key);
    }
    this.#changed();
    return failed;
  }

  async #sample({ id, sample }: Item, preset: Preset, signal: AbortSignal): Promise<ImageResult> {
    signal.throwIfAborted();
    if (sample) await this.#keep(sample);
    const result = await this.#optimizer().samplePreset(id, preset, signal);
    await this.#keep(result);
    return result;
  }

  #keep(result: ImageResult): Promise<Blob> {
    const file = this.#files.get(result) ?? this.#optimizer().fetchSample(result);
    this.#files.set(result, file);
    file.catch(() => this.#files.delete(result));
    return file;
  }
}
