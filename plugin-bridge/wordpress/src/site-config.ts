/** Texts that PHP translated, by key. */
export type Strings = Record<string, string>;

/** An image as the plugin's routes describe it. */
export interface LibraryImage {
  id: number;
  title: string;
  /** False: WordPress made the title of the file's name. */
  ownTitle: boolean;
  alt: string;
  filename: string;
  url: string;
  thumb: string;
  mime: string;
  width: number;
  height: number;
  editLink: string;
  status: 'none' | 'optimized' | 'edited' | 'interrupted' | 'working' | 'failed';
  bytes: { before: number; after: number } | null;
  reason: { code: string; message: string } | null;
  /** Why nothing could be put in its place; empty when something could. */
  obstacle: string;
}

/** What the page was given by PHP. The key of the service is no part of it. */
export interface SiteConfig {
  /** Address of the plugin's routes, without a slash at its end. */
  root: string;
  nonce: string;
  /** Where a fresh nonce comes from. */
  nonceUrl: string;
  /** Language of the user, BCP 47. */
  locale: string;
  isReady: boolean;
  settings: { format: string; preset: string };
  fillText: boolean;
  /** Language of descriptions. */
  language: string;
  formats: string[];
  optimizeUrl: string;
  strings: Strings;
  /** Numbers with their noun, by the form of the language's plural. */
  nouns: Record<'images' | 'credits', Record<Intl.LDMLPluralRule, string>>;
  /** Texts of the widget, where they are translated. */
  widgetStrings: Record<string, unknown>;
}

declare global {
  interface Window {
    imagewrightConfig?: SiteConfig;
  }
}

/** The configuration of the page. @throws Error when the script was loaded without it */
export function readConfig(): SiteConfig {
  if (!window.imagewrightConfig) throw new Error('imagewrightConfig is missing');
  return window.imagewrightConfig;
}

/** A text with its numbers put in: `{n}`. */
export function fill(text: string | undefined, values: Record<string, string | number> = {}): string {
  return (text ?? '').replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

/** A number with its noun, e.g. `1 image`, in the form that the language has for it. */
export function count(n: number, noun: 'images' | 'credits', { nouns, locale }: SiteConfig): string {
  return fill(nouns[noun][new Intl.PluralRules(locale).select(n)], { n: n.toLocaleString(locale) });
}
