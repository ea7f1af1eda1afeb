import type { Metadata, ResponsiveSize, Settings } from '#contract';

/**
 * What one CMS has to offer so that the widget can optimise its images: list them, hand out their bytes, replace them and
 * put them back. Everything else (rules, verification, batches, resuming) is done by {@link connectHost}, once for all hosts.
 *
 * Ids are the CMS's own, as strings, and travel to the service as `clientRef`. Every method may reject with a
 * {@link HostError}; another error is shown with its message and counts as one that may be retried.
 */
export interface CmsHost {
  /** Tells this host's stored progress apart from another's, e.g. `wordpress:https://site.example`. */
  readonly id: string;
  /**
   * True when the host's server downloads results from the service itself (it is given `url`, `size` and `sha256`) and
   * verifies them. Then nothing is downloaded by the page. Default: false.
   */
  readonly downloads?: boolean;
  /** One page of images, in a stable order. */
  list(query: HostQuery): Promise<HostPage>;
  /**
   * Where there is one, called before an image is uploaded, and with what was `uploaded` again right before something is paid for
   * it: rejects as {@link CmsHost.replace} would, with `changed` when the CMS's file is another one by then, so that nothing is
   * paid for that could not be put in its place. An image that nobody can replace is better listed as `unavailable`.
   */
  check?(id: string, options?: HostCheck): Promise<void>;
  /** The original's bytes: of a replaced image those from before it was replaced. */
  fetch(id: string, options?: HostCall): Promise<Blob>;
  /**
   * Puts the optimised files in an image's place and keeps what is needed for {@link CmsHost.restore}. All or nothing:
   * when it rejects, the image is as it was. Called again for a replaced image, it replaces again and keeps the first original.
   */
  replace(id: string, replacement: Replacement, options?: HostCall): Promise<Replaced>;
  /** Told when a result is not used because it is no gain: a host that plans runs of its own need not pay for it again. */
  noGain?(id: string, replacement: Replacement, options?: HostCall): Promise<void>;
  /** Puts the original back, byte for byte. An image that is not replaced is left alone: calling it twice does no harm. */
  restore(id: string, options?: HostCall): Promise<Restored>;
  /** The widget's texts in the CMS's language; keys that are missing stay as they are. */
  strings?(): Partial<Record<string, string>> | Promise<Partial<Record<string, string>>>;
  /** Headers of each request to the service, asked for anew every time: a nonce that expires is renewed here. */
  headers?(): Record<string, string> | Promise<Record<string, string>>;
  /** Called once when an answer says that the headers were not valid (401, 403); true: renewed, try again. */
  renew?(): Promise<boolean>;
  /** Settings that the CMS wants, e.g. the widths its themes use. A person's choice wins over them. */
  settings?(): HostSettings | Promise<HostSettings>;
}

/** Settings a host asks for; all are optional. */
export type HostSettings = Partial<Omit<Settings, 'responsiveSizes'>> & {
  responsiveSizes?: (number | ResponsiveSize)[];
};

/** What every call of a host may be given. */
export interface HostCall {
  /** Aborted when a person stops the run. A host that has begun to write finishes or rolls back first. */
  signal?: AbortSignal;
}

/** What a check of a host may be given. */
export interface HostCheck extends HostCall {
  /** What the service has of the image, once it has it. */
  uploaded?: Uploaded;
}

/** The bytes that the service has of an image. Two files may well be of one size: compare the checksum where there is one. */
export interface Uploaded {
  /** Bytes. */
  size: number;
  /** Hexadecimal; results of an earlier version of the service have none. */
  sha256?: string | undefined;
  width: number;
  height: number;
  format: string;
}

/** Which images to list. */
export interface HostQuery {
  /** `nextCursor` of the page before. */
  cursor?: string;
  /** How many images a page should have; a host may give fewer. */
  limit?: number;
  /** Only these ids, in this order; unknown ones are left out. */
  ids?: readonly string[];
  /** Only images whose name or title holds this. */
  search?: string;
  status?: HostImageStatus;
}

/** One page of a list. */
export interface HostPage {
  images: HostImage[];
  /** Null at the end. */
  nextCursor: string | null;
  /** How many images there are in all, where it is known. */
  total?: number;
}

/** `original`: not optimised yet. `replaced`: optimised, can be restored. `unavailable`: cannot be optimised; `reason` says why. */
export type HostImageStatus = 'original' | 'replaced' | 'unavailable';

/** An image of the CMS. */
export interface HostImage {
  id: string;
  /** Where a browser sees it; null when it has no address. */
  url: string | null;
  /** With its extension, without folders. */
  filename: string;
  title: string | null;
  alt: string | null;
  /** Pixels. */
  width: number | null;
  /** Pixels. */
  height: number | null;
  mime: string;
  /** Size of the original in bytes, where it is known. */
  bytes?: number | null;
  status: HostImageStatus;
  /** Why it is unavailable, in plain words. */
  reason?: string;
}

/** The files that take an image's place, and what is known of the image. */
export interface Replacement {
  /** `full` first, then one for each width. */
  variants: ReplacementVariant[];
  /** Texts to fill in: only where the CMS has none, or where `source` says `user` (a person has written or confirmed it). */
  metadata: Metadata | null;
  /** What the files were made with. */
  settings: Settings;
  /** What was uploaded to the service: refuse with `changed` when the CMS's file is another one by now. */
  original: Uploaded;
  /** The session and job at the service, for a host that downloads there. */
  sessionId: string;
  imageId: string;
}

/** One file of a replacement. */
export interface ReplacementVariant {
  /** `full`, or `<width>w`. */
  name: string;
  width: number;
  height: number;
  /** The name the service gave it, e.g. `golden-gate-480w.webp`; a host makes it unique among its own. */
  filename: string;
  mime: string;
  /** Bytes. */
  size: number;
  /** Hexadecimal. */
  sha256: string;
  /** Download path at the service, below its base URL. */
  url: string;
  /** The verified bytes: of this size, with this checksum, and decodable. @throws HostError `damaged` */
  blob(): Promise<Blob>;
}

/** What became of a replaced image. */
export interface Replaced {
  /** Where a browser sees the new file. */
  url: string | null;
}

/** What became of a restored image. */
export interface Restored {
  url: string | null;
  /** False: it was not replaced, there was nothing to do. */
  restored: boolean;
}
