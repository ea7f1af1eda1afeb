import { createI18n, type I18n, LOCALES, type LocaleName, type Messages, matchLocale } from '../i18n/index.ts';

const LOADERS: Record<LocaleName, () => Promise<Messages>> = {
  en: async () => (await import('./texts/en.ts')).en,
  de: async () => (await import('./texts/de.ts')).de,
  fr: async () => (await import('./texts/fr.ts')).fr,
  es: async () => (await import('./texts/es.ts')).es,
  ja: async () => (await import('./texts/ja.ts')).ja,
  ar: async () => (await import('./texts/ar.ts')).ar,
};

/** Names of the languages in themselves. */
export const NAMES: Record<LocaleName, string> = {
  en: 'English',
  de: 'Deutsch',
  fr: 'Français',
  es: 'Español',
  ja: '日本語',
  ar: 'العربية',
};

/** Returns the first language of the browser that the page has; English without one. */
export function preferredLanguage(): LocaleName {
  const known = navigator.languages.map((tag) => tag.toLowerCase().split('-')[0]);
  return matchLocale(known.find((tag) => (LOCALES as string[]).includes(tag ?? '')));
}

/** Loads the page's texts in a language. */
export async function loadTexts(locale: LocaleName): Promise<I18n> {
  return createI18n({ locale, messages: await LOADERS[locale]() });
}
