import { z } from 'zod';

/** Warning codes of images and results. Clients ignore unknown ones. */
export const WARNING_CODES = {
  animation_dropped: 'The output format cannot hold the animation; the first frame was kept.',
  pages_dropped: 'The file has several pages; the first one was kept.',
  cmyk_converted: 'CMYK colours were converted to sRGB.',
  colour_converted: 'Colours were converted from their profile to sRGB.',
  hdr_dropped: 'High dynamic range was reduced to the standard range.',
  depth_reduced: 'More than 8 bits per channel were reduced to 8.',
  content_credentials_dropped:
    'The content credentials (C2PA) are valid for the unchanged file alone and were dropped.',
  content_credentials_invalid: 'The content credentials (C2PA) of the upload are damaged or do not match the file.',
  alpha_flattened: 'Transparency was flattened on white.',
  metadata_not_written: 'Texts, rights or other metadata could not be written into the file.',
  metadata_unreadable: 'The XMP of the file is too large or damaged, so nothing of it was kept.',
  other_language: 'There are no texts in the language of the settings; the file has those of `metadata`.',
  unknown_field: 'Fields of the metadata are unknown or not as expected, and were ignored.',
  sizes_ignored: '`responsiveSizes` has no effect without `responsive: true`.',
  format_skipped: 'The image is too large for one of the formats, which was left out.',
  no_gain: 'No file would get smaller, so nothing was charged.',
  format_mismatch: "The file's extension or type does not match its bytes.",
} as const;

/** A warning code. */
export type WarningCode = keyof typeof WARNING_CODES;

/** A problem that did not stop the processing. */
export const warningSchema = z
  .object({ code: z.string().describe('Machine-readable; more may be added.'), message: z.string() })
  .meta({ id: 'Warning' });

/** A warning on an image or a result. */
export type Warning = z.output<typeof warningSchema>;

/** Creates a warning with the catalogue's text, and what it is about in this case. */
export function warning(code: WarningCode, about?: string): Warning {
  const message = WARNING_CODES[code];
  return { code, message: about ? `${message.replace(/\.$/, '')}: ${about}.` : message };
}
