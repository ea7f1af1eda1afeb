import { DEFAULT_INPUT_FORMATS, FORMATS } from '#contract/constants';

/** MIME types of uploads, by extension. */
const TYPES: ReadonlyMap<string, string> = new Map(
  DEFAULT_INPUT_FORMATS.flatMap((format) =>
    FORMATS[format].extensions.map((extension) => [extension, FORMATS[format].mimeType]),
  ),
);

/** Returns the MIME type of an image by the extension of its name; undefined for files that the service does not take. */
export function typeOf(name: string): string | undefined {
  return TYPES.get(/\.([^./]+)$/.exec(name)?.[1]?.toLowerCase() ?? '');
}
