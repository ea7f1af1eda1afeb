// Made from the sources by `npm run manifest`. Types of the elements for JSX, of no use at run time:
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
  /** Base URL of the service or of the CMS' proxy; `/v1/…` is appended. Empty: the page's own origin. */
  'endpoint'?: string;
  /** The session at the service; set it to bring its images back. */
  'session-id'?: string;
  /** Types of files that may be added, as in `<input accept>`. */
  'accept'?: string;
  /** Most images. */
  'max-files'?: number;
  /** Most bytes of one file. */
  'max-file-size'?: number;
  /** Most bytes of all files. */
  'max-total-size'?: number;
  /** Most pixels of one image. */
  'max-pixels'?: number;
  /** Uploads at a time. */
  'concurrency'?: number;
  /** Tries of one upload. */
  'retries'?: number;
  /** Milliseconds without a byte until an upload is tried anew. */
  'stall-timeout'?: number;
  /** Images in one request of an export, 1-99. */
  'batch-size'?: number;
  /** Uploads as soon as files are added; `auto-upload="false"`: when `upload()` is called. */
  'auto-upload'?: boolean;
  /** Describes images as soon as they are uploaded. */
  'auto-analyze'?: boolean;
  /** `server`: the service fetches CMS media from their addresses; `page`: the page does. */
  'import-by'?: 'page' | 'server';
  /** No dropping of files. */
  'no-drop'?: boolean;
  /** No pasting of files. */
  'no-paste'?: boolean;
  /** No button for folders. */
  'no-folder'?: boolean;
  /** No free sample. */
  'no-sample'?: boolean;
  /** No analysis. */
  'no-analyze'?: boolean;
  /** No downloads. */
  'no-download'?: boolean;
  /** `replace`: results are handed to the CMS by `io-replace`. */
  'mode'?: 'download' | 'replace';
  /** Output format. */
  'format'?: string;
  /** Quality. */
  'preset'?: string;
  /** Also make smaller sizes. */
  'responsive'?: boolean;
  /** BCP 47 tag of the texts; default: the nearest `lang`. */
  'locale'?: string;
  /** Nothing can be done. */
  'disabled'?: boolean;
  /** Nothing can be changed; results can be compared and downloaded. */
  'readonly'?: boolean;
  /** Files are about to be looked at. Cancelable. */
  'onio-before-add'?: (event: CustomEvent) => void;
  /** Images were added. */
  'onio-add'?: (event: CustomEvent) => void;
  /** Images were taken out. */
  'onio-remove'?: (event: CustomEvent) => void;
  /** Files were not taken; one event for each batch. */
  'onio-reject'?: (event: CustomEvent) => void;
  /** Bytes of an upload, at most ten times a second for each image. */
  'onio-upload-progress'?: (event: CustomEvent) => void;
  /** An image is at the service. */
  'onio-upload'?: (event: CustomEvent) => void;
  /** An image of an analysis is done. */
  'onio-analyze-progress'?: (event: CustomEvent) => void;
  /** An analysis has ended. */
  'onio-analyze'?: (event: CustomEvent) => void;
  /** A text is about to change by a person (cancelable), or has changed by the analysis. */
  'onio-metadata-change'?: (event: CustomEvent) => void;
  /** A setting has changed. */
  'onio-settings-change'?: (event: CustomEvent) => void;
  /** What an export would cost is known. */
  'onio-cost'?: (event: CustomEvent) => void;
  /** A free sample is there. */
  'onio-sample'?: (event: CustomEvent) => void;
  /** An export is about to begin, before anything is charged. Cancelable. */
  'onio-before-export'?: (event: CustomEvent) => void;
  /** An image of an export has come further. */
  'onio-export-progress'?: (event: CustomEvent) => void;
  /** An export has ended. */
  'onio-export'?: (event: CustomEvent) => void;
  /** A file is asked for. Cancelable: then the page takes it. */
  'onio-download'?: (event: CustomEvent) => void;
  /** A result is to take an image's place in the CMS. Cancelable; `waitUntil` tells how it went. */
  'onio-replace'?: (event: CustomEvent) => void;
  /** `state` has changed. */
  'onio-state-change'?: (event: CustomEvent) => void;
  /** Something went wrong; it is shown, too. */
  'onio-error'?: (event: CustomEvent) => void;
}

/** Attributes and events of `<io-compare>`. */
export interface IoCompareAttributes extends Common {
  /** Which of `pairs` is shown, from 0. */
  'index'?: number;
  /** Position of the divider, 0-100: percent of the image that shows the original. */
  'split'?: number;
  /** Another image of `pairs` is shown. */
  'onio-compare-change'?: (event: CustomEvent) => void;
}

/** Tags and what they take. */
export interface ImagewrightElements {
  'image-optimizer': ImageOptimizerAttributes;
  'io-compare': IoCompareAttributes;
}
