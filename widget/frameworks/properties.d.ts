// Generated from the sources by `npm run manifest`: what frameworks set on the element, with the types of its properties.
import type { ImageOptimizer, ImageOptimizerEventMap } from '../index.ts';

/** Properties of `<image-optimizer>`. */
export interface ImageOptimizerProperties {
  /** Renders additional content of a row, e.g. a link into the CMS. */
  itemActions?: ImageOptimizer['itemActions'] | undefined;
  /** Base URL of the service or of a CMS proxy; `/v1/…` is appended. Empty: the page's own origin. */
  endpoint?: ImageOptimizer['endpoint'] | undefined;
  /** Headers of each request, or a function called before each request, for example for a nonce. */
  headers?: ImageOptimizer['headers'] | undefined;
  /** API key of the service. For development and trusted pages only: all visitors can read it. No attribute. */
  apiKey?: ImageOptimizer['apiKey'] | undefined;
  /** Calls that replace those of the built-in client. */
  transport?: ImageOptimizer['transport'] | undefined;
  /** Session at the service. Set it to restore its images. */
  sessionId?: ImageOptimizer['sessionId'] | undefined;
  /** Types of files that can be added, as in `<input accept>`. */
  accept?: ImageOptimizer['accept'] | undefined;
  /** Most images. */
  maxFiles?: ImageOptimizer['maxFiles'] | undefined;
  /** Most bytes of one file. */
  maxFileSize?: ImageOptimizer['maxFileSize'] | undefined;
  /** Most bytes of all files. */
  maxTotalSize?: ImageOptimizer['maxTotalSize'] | undefined;
  /** Most pixels of one image. */
  maxPixels?: ImageOptimizer['maxPixels'] | undefined;
  /** Validates a file; a returned message rejects it. */
  validate?: ImageOptimizer['validate'] | undefined;
  /** Concurrent uploads. */
  concurrency?: ImageOptimizer['concurrency'] | undefined;
  /** Tries of one upload. */
  retries?: ImageOptimizer['retries'] | undefined;
  /** Time without progress after which an upload is retried, in milliseconds. */
  stallTimeout?: ImageOptimizer['stallTimeout'] | undefined;
  /** Images in one request of an export, 1-99. */
  batchSize?: ImageOptimizer['batchSize'] | undefined;
  /** Uploads files as soon as they are added. With `auto-upload="false"` only `upload()` does. */
  autoUpload?: ImageOptimizer['autoUpload'] | undefined;
  /** Analyses images as soon as they are uploaded. */
  autoAnalyze?: ImageOptimizer['autoAnalyze'] | undefined;
  /** `server`: the service downloads CMS media from their addresses; `page`: the page does. */
  importBy?: ImageOptimizer['importBy'] | undefined;
  /** Name under which this tab keeps session, settings and texts, and restores them after a reload. Default: nothing is kept. */
  remember?: ImageOptimizer['remember'] | undefined;
  /** Options of the analysis: `language` or `languages`, `context`, `keywords`, `brandVoice`, `overwrite`. */
  analyzeOptions?: ImageOptimizer['analyzeOptions'] | undefined;
  /** Disables dropping files. */
  noDrop?: ImageOptimizer['noDrop'] | undefined;
  /** Disables pasting files. */
  noPaste?: ImageOptimizer['noPaste'] | undefined;
  /** Hides the button for folders. */
  noFolder?: ImageOptimizer['noFolder'] | undefined;
  /** Disables free samples. */
  noSample?: ImageOptimizer['noSample'] | undefined;
  /** Disables the analysis. */
  noAnalyze?: ImageOptimizer['noAnalyze'] | undefined;
  /** Disables downloads. */
  noDownload?: ImageOptimizer['noDownload'] | undefined;
  /** `replace`: results are passed to the CMS by `io-replace`. */
  mode?: ImageOptimizer['mode'] | undefined;
  /** Output format. */
  format?: ImageOptimizer['format'] | undefined;
  /** Quality preset. */
  preset?: ImageOptimizer['preset'] | undefined;
  /** Also exports smaller sizes. */
  responsive?: ImageOptimizer['responsive'] | undefined;
  /** Widths or boxes of the smaller sizes. Undefined: the service's default. */
  responsiveSizes?: ImageOptimizer['responsiveSizes'] | undefined;
  /** BCP 47 tag of the texts. Default: the nearest `lang`. */
  locale?: ImageOptimizer['locale'] | undefined;
  /** Texts that replace the built-in ones, by key. */
  strings?: ImageOptimizer['strings'] | undefined;
  /** Formats bytes in place of the element, e.g. in the units of the page: `872 KB`. */
  formatBytes?: ImageOptimizer['formatBytes'] | undefined;
  /** Takes less room, for narrow columns: no frame, a small drop zone, and low rows that open for their other fields. */
  compact?: ImageOptimizer['compact'] | undefined;
  /** Disables all controls. */
  disabled?: ImageOptimizer['disabled'] | undefined;
  /** Prevents changes; results can be compared and downloaded. */
  readonly?: ImageOptimizer['readonly'] | undefined;
  /** Settings of exports: `format`, `preset`, `responsive` and more. Only the given settings change. */
  settings?: Partial<ImageOptimizer['settings']> | undefined;
}

/** Handlers named `on` and the event. */
export type ImageOptimizerHandlers = {
  [Name in keyof ImageOptimizerEventMap as `on${Name}`]?: ((event: ImageOptimizerEventMap[Name]) => void) | undefined;
};
