import type { Messages } from './messages.ts';

/** Languages that come with the widget; each is a file of its own, loaded when it is needed. */
const LOADERS = {
  en: async (): Promise<Messages> => (await import('./en.ts')).en,
  de: async (): Promise<Messages> => (await import('./de.ts')).de,
  fr: async (): Promise<Messages> => (await import('./fr.ts')).fr,
  es: async (): Promise<Messages> => (await import('./es.ts')).es,
  ja: async (): Promise<Messages> => (await import('./ja.ts')).ja,
  ar: async (): Promise<Messages> => (await import('./ar.ts')).ar,
} as const;

/** A language that comes with the widget. */
export type LocaleName = keyof typeof LOADERS;

/** All languages that come with the widget. */
export const LOCALES = Object.keys(LOADERS) as LocaleName[];

/** The language for a BCP 47 tag: `de-AT` gives `de`; English for one that does not come with the widget. */
export function matchLocale(tag: string | null | undefined): LocaleName {
  const language = tag?.trim().toLowerCase().split(/[-_]/)[0];
  return LOCALES.find((name) => name === language) ?? 'en';
}

/** Loads the texts for a BCP 47 tag. What the empty element says in English is there at once, as `enCore`. */
export function loadLocale(tag: string): Promise<Messages> {
  return LOADERS[matchLocale(tag)]();
}
