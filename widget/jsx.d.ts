// Generated from the sources by `npm run manifest`. Types of the elements for JSX:
//
//   import type { ImagewrightElements } from './jsx.d.ts';
//   declare module 'react' { namespace JSX { interface IntrinsicElements extends ImagewrightElements {} } }

/** Attributes that every element accepts, in every framework. */
interface Common {
  id?: string;
  class?: string;
  className?: string;
  slot?: string;
  lang?: string;
  dir?: 'ltr' | 'rtl' | 'auto';
  hidden?: boolean;
  children?: unknown;
  key?: string | number;
  ref?: unknown;
}

/** Attributes and events of `<image-optimizer>`. */
export interface ImageOptimizerAttributes extends Common {
  /** Base URL of the service or of a CMS proxy; `/v1/…` is appended. Empty: the page's own origin. */
  'endpoint'?: string;
  /** Session at the service. Set it to restore its images. */
  'session-id'?: string;
  /** Types of files that can be added, as in `<input accept>`. */
  'accept'?: string;
  /** Most images. */
  'max-files'?: number;
  /** Most bytes of one file. */
  'max-file-size'?: number;
  /** Most bytes of all files. */
  'max-total-size'?: number;
  /** Most pixels of one image. */
  'max-pixels'?: number;
  /** Concurrent uploads. */
  'concurrency'?: number;
  /** Tries of one upload. */
  'retries'?: number;
  /** Time without progress after which an upload is retried, in milliseconds. */
  'stall-timeout'?: number;
  /** Images in one request of an export, 1-99. */
  'batch-size'?: number;
  /** Uploads files as soon as they are added. With `auto-upload="false"` only `upload()` does. */
  'auto-upload'?: boolean;
  /** Analyses images as soon as they are uploaded. */
  'auto-analyze'?: boolean;
  /** `server`: the service downloads CMS media from their addresses; `page`: the page does. */
  'import-by'?: 'page' | 'server';
  /** Name under which this tab keeps session, settings and texts, and restores them after a reload. Default: nothing is kept. */
  'remember'?: string;
  /** Disables dropping files. */
  'no-drop'?: boolean;
  /** Disables pasting files. */
  'no-paste'?: boolean;
  /** Hides the button for folders. */
  'no-folder'?: boolean;
  /** Disables free samples. */
  'no-sample'?: boolean;
  /** Disables the analysis. */
  'no-analyze'?: boolean;
  /** Disables downloads. */
  'no-download'?: boolean;
  /** `replace`: results are passed to the CMS by `io-replace`. */
  'mode'?: 'download' | 'replace';
  /** Output format. */
  'format'?: string;
  /** Quality preset. */
  'preset'?: string;
  /** Also exports smaller sizes. */
  'responsive'?: boolean;
  /** BCP 47 tag of the texts. Default: the nearest `lang`. */
  'locale'?: string;
  /** Disables all controls. */
  'disabled'?: boolean;
  /** Prevents changes; results can be compared and downloaded. */
  'readonly'?: boolean;
  /** Files are about to be added. Cancelable. */
  'onio-before-add'?: (event: CustomEvent) => void;
  /** Images were added. */
  'onio-add'?: (event: CustomEvent) => void;
  /** Images were removed. */
  'onio-remove'?: (event: CustomEvent) => void;
  /** Files were rejected. One event per batch. */
  'onio-reject'?: (event: CustomEvent) => void;
  /** Progress of an upload in bytes, at most ten times a second per image. */
  'onio-upload-progress'?: (event: CustomEvent) => void;
  /** An image was uploaded. */
  'onio-upload'?: (event: CustomEvent) => void;
  /** An image was analysed. */
  'onio-analyze-progress'?: (event: CustomEvent) => void;
  /** An analysis has ended. */
  'onio-analyze'?: (event: CustomEvent) => void;
  /** A text is about to be changed by the user (cancelable), or was changed by the analysis. */
  'onio-metadata-change'?: (event: CustomEvent) => void;
  /** A setting has changed. */
  'onio-settings-change'?: (event: CustomEvent) => void;
  /** The cost of an export is known. */
  'onio-cost'?: (event: CustomEvent) => void;
  /** A free sample is ready. */
  'onio-sample'?: (event: CustomEvent) => void;
  /** An export is about to start; nothing is charged yet. Cancelable. */
  'onio-before-export'?: (event: CustomEvent) => void;
  /** Progress of an image in an export. */
  'onio-export-progress'?: (event: CustomEvent) => void;
  /** An export has ended. */
  'onio-export'?: (event: CustomEvent) => void;
  /** A file is about to be saved. Cancelable, if the page saves it itself. */
  'onio-download'?: (event: CustomEvent) => void;
  /** A result should replace an image in the CMS. Cancelable; `waitUntil` takes a promise of the outcome. */
  'onio-replace'?: (event: CustomEvent) => void;
  /** `state` has changed. */
  'onio-state-change'?: (event: CustomEvent) => void;
  /** An error occurred; the element shows it as well. */
  'onio-error'?: (event: CustomEvent) => void;
}

/** Attributes and events of `<io-compare>`. */
export interface IoCompareAttributes extends Common {
  /** Zero-based index of the shown pair. */
  'index'?: number;
  /** Position of the divider: percent of the image that shows the original, 0-100. */
  'split'?: number;
  /** Another image of `pairs` is shown. */
  'onio-compare-change'?: (event: CustomEvent) => void;
}

/** Elements by tag. */
export interface ImagewrightElements {
  'image-optimizer': ImageOptimizerAttributes;
  'io-compare': IoCompareAttributes;
}
