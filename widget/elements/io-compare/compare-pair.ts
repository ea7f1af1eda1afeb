/** Measured quality of an exported file. */
export interface MeasuredQuality {
  /** SSIMULACRA2 score against the original, at most 100; null or absent if none was measured. */
  score?: number | null;
  /** Reason why the file stays below the score of its preset. */
  stopped?: 'knee' | 'format';
  /** Size that the score of the preset takes, in bytes. */
  estimatedBytes?: number;
}

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
