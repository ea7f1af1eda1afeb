import { LitElement } from 'lit';
import type { Item } from '../../state/index.ts';
import type { RowContext, TextField } from '../io-row/index.ts';

/** Properties of the review, its controls, and what it tells screen readers. */
export class ReviewElement extends LitElement {
  static override properties = {
    context: { attribute: false },
    ids: { attribute: false },
    start: { attribute: false },
    noSample: { attribute: false },
    item: { state: true },
    picture: { state: true },
    told: { state: true },
    finished: { state: true },
    asked: { state: true },
  };

  /** Values that rows share. */
  declare context: RowContext;
  /** Ids of the images to review, in their order. */
  declare ids: readonly string[];
  /** Id of the first image to show; null: the first without accepted texts. */
  declare start: string | null;
  /** No samples are offered. */
  declare noSample: boolean;
  declare protected item: Item | undefined;
  /** Picture of the shown image; null while it is decoded, or if it cannot be. */
  declare protected picture: HTMLCanvasElement | null;
  declare protected told: string;
  declare protected finished: boolean;
  /** "Accept all" was pressed once. */
  declare protected asked: boolean;

  constructor() {
    super();
    Object.assign(this, { ids: [], start: null, picture: null, told: '', finished: false, asked: false });
  }

  protected find<Found extends HTMLElement>(selector: string): Found | null {
    return this.renderRoot.querySelector<Found>(selector);
  }

  protected focusOn(selector: string): void {
    this.find(selector)?.focus();
  }

  protected focusFirst(): void {
    this.focusOn(matchMedia('(pointer: coarse)').matches ? '.accept' : '#alt');
  }

  protected get focusedField(): TextField | undefined {
    const active = (this.renderRoot as ShadowRoot).activeElement as HTMLElement | null;
    return active?.dataset.text as TextField | undefined;
  }

  /** Says what happened and what is shown now. A text that repeats is made different, so that it is heard again. */
  protected tell(...parts: string[]): void {
    const text = parts.filter(Boolean).join(' ');
    this.told = this.told === text ? `${text}\u00a0` : text;
  }
}
