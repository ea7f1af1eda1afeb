import { en } from './en.ts';
import type { Messages } from './messages.ts';

/** Languages that come with the widget; each but English is a file of its own, loaded when it is needed. */
const LOADERS = {
  en: async (): Promise<Messages> => en,
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

/** Loads the texts for a BCP 47 tag; English is there at once. */
export function loadLocale(tag: string): Promise<Messages> {
  return LOADERS[matchLocale(tag)]();
}
