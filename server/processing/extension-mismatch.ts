import type { InputFormat } from '#contract';

const EXTENSIONS: Record<InputFormat, RegExp> = {
  jpeg: /^(?:jpe?g|jpe|jfif)$/i,
  png: /^a?png$/i,
  webp: /^webp$/i,
  avif: /^avifs?$/i,
  gif: /^gif$/i,
  tiff: /^tiff?$/i,
};

/** True when a file name's extension names something else than the file's bytes are; without an extension it claims nothing. */
export function extensionMismatch(filename: string, format: InputFormat): boolean {
  const extension = /\.([a-z0-9]{1,5})$/i.exec(filename)?.[1];
  return extension !== undefined && !EXTENSIONS[format].test(extension);
}
