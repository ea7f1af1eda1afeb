/** An optimized image, as an import with `?imagewright` gives it. */
export interface OptimizedImage {
  /** Address of the most compatible file of full size. */
  src: string;
  /** Pixels of `src`. */
  width: number;
  height: number;
  /** Files of the format of `src` for `srcset`, the widest first. Empty in development. */
  srcset: string;
  /** The other formats, the smallest files first: each for a `source` of a `picture`. Empty in development. */
  sources: { type: string; srcset: string }[];
  /** ThumbHash, base64. Null in development. */
  placeholder: string | null;
  /** Lowest score of visual quality of the files, 0 to 100. Null in development, and if nothing was measured. */
  score: number | null;
}
