import type { FocalPoint } from '#contract';

/** One file to make of an image: `full`, or a responsive width named `<width>w`. */
export interface VariantSpec {
  name: string;
  /** Pixels; absent for `full`. */
  width?: number;
  /** Pixels; absent: by the aspect ratio. */
  height?: number;
  /** `inside` keeps the whole image, `cover` fills width x height and crops. @default 'inside' */
  fit?: 'inside' | 'cover';
  /** Point that a crop keeps nearest to its centre; absent: the part that attracts attention. */
  focalPoint?: FocalPoint;
}
