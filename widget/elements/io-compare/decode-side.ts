import type { CompareSide } from './compare-pair.ts';

/** Most pixels of a decoded side, 64 MB of memory. */
const MAX_PIXELS = 16_000_000;

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
 * Decodes one side in its EXIF orientation, with at most {@link MAX_PIXELS} pixels. The caller closes the bitmap.
 * @throws the decoder's error if neither the file nor its fallback can be decoded
 */
export async function decodeSide(side: CompareSide): Promise<DecodedSide> {
  const blob = await side.blob();
  try {
    return await decode(blob, side, false);
  } catch (error) {
    if (!side.fallback) throw error;
    return decode(await side.fallback(), side, true);
  }
}

async function decode(blob: Blob, side: CompareSide, preview: boolean): Promise<DecodedSide> {
  const pixels = (side.width ?? 0) * (side.height ?? 0);
  // Decoding at the smaller size avoids holding all pixels of a large image. The proportions stay.
  const resizeWidth = pixels > MAX_PIXELS ? reduce(side.width ?? 0, pixels) : undefined;
  const bitmap = await createImageBitmap(blob, resizeWidth && !preview ? { resizeWidth, resizeQuality: 'high' } : {});
  const { width, height } = bitmap;
  if (width * height > MAX_PIXELS * 1.01) {
    const smaller = await createImageBitmap(bitmap, {
      resizeWidth: reduce(width, width * height),
      resizeQuality: 'high',
    });
    bitmap.close();
    return { bitmap: smaller, width: side.width ?? width, height: side.height ?? height, reduced: true, preview };
  }
  const whole = { width: side.width ?? width, height: side.height ?? height };
  return { bitmap, ...whole, reduced: width < whole.width, preview };
}

function reduce(width: number, pixels: number): number {
  return Math.max(1, Math.floor(width * Math.sqrt(MAX_PIXELS / pixels)));
}
