import { FORMATS, type ImageFormat, type InputFormat } from '#contract/constants';

/** Returns the extension of written files, without the dot. */
export function extensionOf(format: ImageFormat): string {
  return FORMATS[format].extension;
}

/** Returns the MIME type of a format. */
export function mimeTypeOf(format: ImageFormat): string {
  return FORMATS[format].mimeType;
}

/** Counts the frames that are decoded: all of an animation, the first page of any other file. */
export function decodedFrames(format: InputFormat, pages: number): number {
  return FORMATS[format].animated ? pages : 1;
}

/** True if a format keeps the frames of an animation. */
export function holdsAnimation(format: ImageFormat): boolean {
  return FORMATS[format].animated;
}
