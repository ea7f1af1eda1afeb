import type { InputFormat, OutputFormat } from '#contract';

const EXTENSIONS: Record<InputFormat, string> = {
  jpeg: 'jpg',
  png: 'png',
  webp: 'webp',
  avif: 'avif',
  gif: 'gif',
  tiff: 'tif',
};

/** Every format that is read, as the contract names them; without the contract's schemas, which a worker has no use for. */
export const READABLE_FORMATS = Object.keys(EXTENSIONS) as InputFormat[];

/** Longest edge in pixels that each format can hold (WebP: RFC 9649; AVIF: the encoder's frame limit; GIF and JPEG: 16 bits). */
export const MAX_EDGE: Record<InputFormat, number> = {
  jpeg: 65_500,
  png: 2 ** 31 - 1,
  webp: 16_383,
  avif: 16_384,
  gif: 65_535,
  tiff: 2 ** 31 - 1,
};

/** The format that is written: `original` is resolved to the upload's. */
export function outputFormatOf(format: OutputFormat, inputFormat: InputFormat): InputFormat {
  return format === 'original' ? inputFormat : format;
}

/** File name extension of a format, without the dot. */
export function extensionOf(format: InputFormat): string {
  return EXTENSIONS[format];
}

/** MIME type of a format. */
export function mimeTypeOf(format: InputFormat): string {
  return `image/${format}`;
}

/** Frames that are decoded for an input: all of an animation, the first page of anything else. */
export function decodedFrames(format: InputFormat, pages: number): number {
  return format === 'gif' || format === 'webp' ? pages : 1;
}

/** True when a format keeps the frames of an animated GIF or WebP. */
export function holdsAnimation(format: InputFormat): boolean {
  return format === 'gif' || format === 'webp';
}
