import type { Metadata, ResponsiveSize, Settings } from '#contract';

/**
 * Interface of a CMS whose images the element optimises: list, fetch, replace and restore. {@link connectHost} does the rest
 * for all hosts: rules, verification, batches, resuming.
 *
 * Ids are those of the CMS, as strings; the service gets them as `clientRef`. Every method may reject with a
 * {@link HostError}. Any other error is shown with its message and counts as retryable.
 */
export interface CmsHost {
  /** Identifies the stored progress of this host, e.g. `wordpress:https://site.example`. */
  readonly id: string;
  /**
   * True if the host's server downloads results from the service by `url` and verifies `size` and `sha256` itself. The page
   * then downloads nothing. Default: false.
   */
  readonly downloads?: boolean | undefined;
  /**
   * True if the host's server sends originals to the service itself, in its own `transport`. The page then downloads no original
   * and shows previews of the service. Images need an address, which is not fetched. Default: false.
   */
  readonly uploads?: boolean | undefined;
  /** Lists one page of images in a stable order. */
  list(query: HostQuery): Promise<HostPage>;
  /**
   * Checks that an image could be replaced. Called before its upload and, with `uploaded`, right before a paid request.
   * Rejects as {@link CmsHost.replace} would, for example with `changed` if the CMS has a different file by then: the image is
   * then not paid for. List images that can never be replaced as `unavailable`. May return the files in use,
   which an export with `onlySmaller` compares its files with.
   */
  check?(id: string, options?: HostCheck): Promise<Checked | undefined>;
  /** Returns the bytes of the original; of a replaced image those from before its replacement. */
  fetch(id: string, options?: HostCall): Promise<Blob>;
  /**
   * Replaces an image by the optimised files and keeps its original for {@link CmsHost.restore}. If it rejects, the image is
   * unchanged. For a replaced image it replaces again and keeps the first original. A resumed run repeats the call if it does
   * not know the outcome of the first one.
   */
  replace(id: string, replacement: Replacement, options?: HostCall): Promise<Replaced>;
  /** Called if a result is not used because it saves nothing: a host with runs of its own can avoid paying for it again. */
  noGain?(id: string, replacement: Replacement, options?: HostCall): Promise<void>;
  /** Restores the original byte for byte. Does nothing if the image is not replaced. */
  restore(id: string, options?: HostCall): Promise<Restored>;
  /** Returns the element's texts in the CMS's language. Missing keys keep their text. */
  strings?(): Partial<Record<string, string>> | Promise<Partial<Record<string, string>>>;
  /** Returns the headers of a request to the service, for example a nonce. Called before each request. */
  headers?(): Record<string, string> | Promise<Record<string, string>>;
  /** Renews the headers. Called once after a response with 401 or 403; true: the request is sent again. */
  renew?(): Promise<boolean>;
  /** Returns settings of the CMS, e.g. the widths its themes use. The user's choice takes precedence. */
  settings?(): HostSettings | Promise<HostSettings>;
}

/** Settings of a host; all are optional. */
export type HostSettings = Partial<Omit<Settings, 'responsiveSizes'>> & {
  responsiveSizes?: (number | ResponsiveSize)[] | undefined;
};

/** Options of every call of a host. */
export interface HostCall {
  /** Aborted if the user stops the run. A host that has started to write finishes or rolls back first. */
  signal?: AbortSignal | undefined;
}

/** Options of a check. */
export interface HostCheck extends HostCall {
  /** The uploaded file; absent before the upload. */
  uploaded?: Uploaded | undefined;
}

/** Outcome of a check. */
export interface Checked {
  /** The files in use and the variant that replaces each: `full` or `<width>w`; 0 bytes: none is in use. */
  replaces?: { name: string; bytes: number }[] | undefined;
  /** Bytes that the variants in `of` have to save together; with less nothing is delivered or paid for. */
  leastGain?: { bytes: number; of: string[] } | undefined;
}

/** Properties of an uploaded file. Different files can have the same size: compare the checksum if there is one. */
export interface Uploaded {
  /** Bytes. */
  size: number;
  /** Hexadecimal; missing in results of earlier versions of the service. */
  sha256?: string | undefined;
  width: number;
  height: number;
  format: string;
}

/** Filter and page of a list. */
export interface HostQuery {
  /** `nextCursor` of the previous page. */
  cursor?: string | undefined;
  /** Most images of a page; a host may return fewer. */
  limit?: number | undefined;
  /** Only these ids, in this order; unknown ids are skipped. */
  ids?: readonly string[] | undefined;
  /** Only images whose name or title contains this text. */
  search?: string | undefined;
  status?: HostImageStatus | undefined;
}

/** One page of a list. */
export interface HostPage {
  images: HostImage[];
  /** Null on the last page. */
  nextCursor: string | null;
  /** Number of images on all pages, if known. */
  total?: number | undefined;
}

/** `original`: not optimised yet. `replaced`: optimised, can be restored. `unavailable`: cannot be optimised, for `reason`. */
export type HostImageStatus = 'original' | 'replaced' | 'unavailable';

/** An image of the CMS. */
export interface HostImage {
  id: string;
  /** Address for browsers; null if it has none. */
  url: string | null;
  /** Name with extension, without folders. */
  filename: string;
  title: string | null;
  alt: string | null;
  /** Pixels. */
  width: number | null;
  /** Pixels. */
  height: number | null;
  mime: string;
  /** Size of the original in bytes, if known. */
  bytes?: number | null | undefined;
  status: HostImageStatus;
  /** Reason it is unavailable, shown to the user. */
  reason?: string | undefined;
}

/** The files that replace an image, and its texts. */
export interface Replacement {
  /** `full` first, then one per width. */
  variants: ReplacementVariant[];
  /** Texts for empty fields of the CMS. A text whose `source` is `user` (written or confirmed by a person) may replace one. */
  metadata: Metadata | null;
  /** Settings the files were made with. */
  settings: Settings;
  /** The uploaded file: reject with `changed` if the CMS has a different file by now. */
  original: Uploaded;
  /** Session at the service, for hosts with `downloads`. */
  sessionId: string;
  imageId: string;
}

/** One file of a replacement. */
export interface ReplacementVariant {
  /** `full`, or `<width>w`. */
  name: string;
  width: number;
  height: number;
  /** Name at the service, e.g. `golden-gate-480w.webp`; the host makes it unique among its files. */
  filename: string;
  mime: string;
  /** Bytes. */
  size: number;
  /** Hexadecimal. */
  sha256: string;
  /** Download path at the service, below its base URL. */
  url: string;
  /** Downloads the file and verifies size, checksum and pixels. @throws HostError `damaged` */
  blob(): Promise<Blob>;
}

/** Result of a replacement. */
export interface Replaced {
  /** Address of the new file for browsers. */
  url: string | null;
}

/** Result of a restore. */
export interface Restored {
  url: string | null;
  /** False if the image was not replaced. */
  restored: boolean;
}
