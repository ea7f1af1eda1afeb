import { formatNumber, type Numbers } from './make.ts';

/** Texts translated by PHP, by key. */
export type Strings = Record<string, string>;

/** An image as returned by the plugin's routes. */
export interface LibraryImage {
  id: number;
  title: string;
  /** False if WordPress derived the title from the file name. */
  ownTitle: boolean;
  alt: string;
  filename: string;
  url: string;
  thumb: string;
  mime: string;
  width: number;
  height: number;
  editLink: string;
  /** `outdated`: pages do not get the optimized files any more; `offloaded`: they get the files of another host. */
  picture: 'none' | 'optimized' | 'outdated' | 'offloaded' | 'edited' | 'interrupted' | 'working' | 'queued' | 'failed';
  /** The same, but `shared` for an attachment that another with the same file leads. */
  status: LibraryImage['picture'] | 'shared';
  /** Other attachments with the same file. */
  shares: number[];
  /** Repair of an outdated image: without an export (`outdated`) or by another one (`stale`); else empty. */
  gap: 'outdated' | 'stale' | '';
  bytes: { before: number; after: number } | null;
  reason: { code: string; message: string } | null;
  /** Reason it cannot be replaced; empty if it can. */
  obstacle: string;
  /** Sentence about the metadata of the upload and the part that is kept; empty without metadata. */
  carries: string;
  /** Status in words, with the bytes before and after. */
  statusText: string;
  /** Texts with a known author, newest last. */
  texts: TextRecord[];
}

/** Author of an alternative text. */
export interface TextRecord {
  text: string;
  by: 'ai' | 'file' | 'user';
  /** Name of the person who confirmed it, else of the one in whose name it was written. */
  user: string;
  confirmed: boolean;
}

/** Configuration printed by PHP. Does not contain the key of the service. */
export interface SiteConfig {
  /** Address of the plugin's routes, without a trailing slash. */
  root: string;
  nonce: string;
  /** Address of a new nonce. */
  nonceUrl: string;
  /** Language of the user, BCP 47. */
  locale: string;
  /** Signs of bytes and their multiples of 1,024, up to terabytes. */
  units: string[];
  /** Signs in numbers. */
  numbers: Numbers;
  isReady: boolean;
  /** True if the user may spend credits. */
  maySpend: boolean;
  settings: { format: string; preset: string };
  fillText: boolean;
  /** False if the service has no model that describes images. */
  describes: boolean;
  /** Language of descriptions. */
  language: string;
  formats: string[];
  optimizeUrl: string;
  /** Address of the media library as a list. */
  libraryUrl: string;
  /** Address of the front page. */
  homeUrl: string;
  /** States by which the library can be filtered: labels by name; that of the empty name is for all. */
  states: Record<string, string>;
  strings: Strings;
  /** Numbers with their noun, by plural form of the language. */
  nouns: Record<'images' | 'credits', Record<Intl.LDMLPluralRule, string>>;
  /** Translated texts of the widget. */
  widgetStrings: Record<string, unknown>;
}

declare global {
  interface Window {
    imagewrightConfig?: SiteConfig;
  }
}

/** Returns the configuration of the page. @throws Error if it is missing */
export function readConfig(): SiteConfig {
  if (!window.imagewrightConfig) throw new Error('imagewrightConfig is missing');
  return window.imagewrightConfig;
}

/** Fills placeholders, e.g. `{n}`, in a text. */
function fill(text: string | undefined, values: Record<string, string>): string {
  return (text ?? '').replace(/\{(\w+)\}/g, (placeholder, name: string) => values[name] ?? placeholder);
}

/** Returns a translated text with its placeholders filled, and numbers as WordPress writes them; empty if the key is unknown. */
export function textOf(config: SiteConfig, key: string, values: Record<string, string | number> = {}): string {
  const written = Object.entries(values).map(([name, value]) => [
    name,
    typeof value === 'number' ? formatNumber(value, config) : value,
  ]);
  return fill(config.strings[key], Object.fromEntries(written));
}

/** Formats a number with its noun in the right plural form, e.g. `1 image`. */
export function count(n: number, noun: 'images' | 'credits', config: SiteConfig): string {
  return fill(config.nouns[noun][new Intl.PluralRules(config.locale).select(n)], { n: formatNumber(n, config) });
}
