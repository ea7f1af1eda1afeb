import type { MeasuredQuality } from '../render-difference.ts';

/** One side of a comparison. Its bytes are fetched when it is shown. */
export interface CompareSide extends MeasuredQuality {
  /** Fetches the file. */
  blob(): Promise<Blob>;
  /** Fetches a preview, shown with a note if the browser cannot decode the file, e.g. a TIFF. */
  fallback?: () => Promise<Blob>;
  /** Bytes. */
  size: number | null;
  /** Pixels, as shown (after EXIF orientation). */
  width: number | null;
  /** Pixels, as shown. */
  height: number | null;
  /** E.g. `jpeg`; empty if unknown. */
  format: string;
}

/** An image before and after. */
export interface ComparePair {
  id: string;
  /** File name. */
  name: string;
  original: CompareSide;
  result: CompareSide;
}
