import type { OutputFormat, Preset } from '#contract/constants';

/** Options of the plugin. Those of images hold where an import says nothing else. */
export interface Options {
  /** Formats of the files. @default ['avif', 'webp'] */
  formats?: readonly OutputFormat[] | undefined;
  /** Widths in pixels beside the full one; larger ones than an image has are left out. @default [] */
  widths?: readonly number[] | undefined;
  /** Promise of visual quality. @default 'high' */
  preset?: Preset | undefined;
  /** Most pixels of the full width. @default that of the image */
  maxWidth?: number | undefined;
  /** True: imports give the originals, at once. @default true for servers, watching builds and webpack's mode `development` */
  development?: boolean | undefined;
  /** Folder of finished images. @default `node_modules/.cache/imagewright-images` of the project */
  cache?: string | undefined;
  /** Processes that encode. @default one per core, fewer if memory is small */
  workers?: number | undefined;
}
