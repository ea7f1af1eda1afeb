// Owns the server's half of a host: requests to the service, and the images of a folder. Runs in Node.
import { nodeDisk } from './disk.ts';
import { createMedia, type Media, type MediaOptions } from './media.ts';

export { type ImagewrightOptions, imagewright } from './imagewright.ts';
export type { Media, MediaImage, MediaOptions, MediaTexts } from './media.ts';

/**
 * Opens the images of a CMS whose files are in a folder. Originals stay as they are: files that replace them are in its folder
 * `_imagewright`, and records of them in `.imagewright`.
 */
export function openMedia(options: MediaOptions): Media {
  return createMedia(options, nodeDisk);
}
