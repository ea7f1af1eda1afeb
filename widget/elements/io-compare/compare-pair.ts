/** One side of a comparison. Its bytes are fetched when it is shown, not before. */
export interface CompareSide {
  /** The file's own bytes. */
  blob(): Promise<Blob>;
  /** Shown instead, and said so, when the browser cannot decode the file (a TIFF, say): the service's preview. */
  fallback?: () => Promise<Blob>;
  /** Bytes. */
  size: number | null;
  /** Pixels, as shown (after EXIF orientation). */
  width: number | null;
  /** Pixels, as shown. */
  height: number | null;
  /** `jpeg`, `webp` …; empty when unknown. */
  format: string;
}

/** An image before and after. */
export interface ComparePair {
  id: string;
  /** The file's name. */
  name: string;
  original: CompareSide;
  result: CompareSide;
}
