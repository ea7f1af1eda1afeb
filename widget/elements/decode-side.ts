/** Most pixels of a decoded side, 64 MB of memory. */
const MAX_PIXELS = 16_000_000;

/** A file to be decoded. Its bytes are fetched then. */
interface Source {
  blob(): Promise<Blob>;
  /** A preview, for a file that cannot be had or decoded. */
  fallback?: () => Promise<Blob>;
  /** Pixels, as shown. */
  width: number | null;
  /** Pixels, as shown. */
  height: number | null;
}

/** A decoded side. */
export interface DecodedSide {
  bitmap: ImageBitmap;
  /** Pixels of the whole image, as shown. */
  width: number;
  /** Pixels of the whole image, as shown. */
  height: number;
  /** True if the bitmap has fewer pixels than the image. */
  reduced: boolean;
  /** True for a preview, if the browser cannot decode the file. */
  preview: boolean;
}

/**
 * Decodes one side in its EXIF orientation, with at most `most` pixels. The caller closes the bitmap.
 * @throws the error of the file or decoder if neither the file nor its fallback can be had and decoded
 */
export async function decodeSide(side: Source, most = MAX_PIXELS): Promise<DecodedSide> {
  try {
    return await decode(await side.blob(), side, most, false);
  } catch (error) {
    if (!side.fallback) throw error;
    return decode(await side.fallback(), side, most, true);
  }
}

async function decode(blob: Blob, side: Source, most: number, preview: boolean): Promise<DecodedSide> {
  const pixels = (side.width ?? 0) * (side.height ?? 0);
  // Decoding at the smaller size avoids holding all pixels of a large image. The proportions stay.
  const resizeWidth = pixels > most ? reduce(side.width ?? 0, pixels, most) : undefined;
  const bitmap = await createImageBitmap(blob, resizeWidth && !preview ? { resizeWidth, resizeQuality: 'high' } : {});
  const { width, height } = bitmap;
  if (width * height > most * 1.01) {
    const smaller = await createImageBitmap(bitmap, {
      resizeWidth: reduce(width, width * height, most),
      resizeQuality: 'high',
    });
    bitmap.close();
    return { bitmap: smaller, width: side.width ?? width, height: side.height ?? height, reduced: true, preview };
  }
  const whole = { width: side.width ?? width, height: side.height ?? height };
  return { bitmap, ...whole, reduced: width < whole.width, preview };
}

function reduce(width: number, pixels: number, most: number): number {
  return Math.max(1, Math.floor(width * Math.sqrt(most / pixels)));
}
