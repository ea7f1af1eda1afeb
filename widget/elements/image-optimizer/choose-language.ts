import { createI18n, enCore, type I18n, loadLocale, type Messages, matchLocale } from '../../i18n/index.ts';

/** Loads texts and formats for a BCP 47 tag, English for unknown languages. `strings` replace single texts. */
export async function loadI18n(tag: string, strings: Messages): Promise<I18n> {
  const messages = await loadLocale(tag).catch(() => enCore);
  return i18nFor(tag, messages, strings);
}

/** Returns the English texts of the first paint synchronously. */
export function englishI18n(strings: Messages): I18n {
  return i18nFor('en', enCore, strings);
}

function i18nFor(tag: string, messages: Messages, strings: Messages): I18n {
  const name = matchLocale(tag);
  const make = (locale: string) => createI18n({ locale, messages, strings, fallback: enCore });
  // Numbers follow the region, e.g. `de-AT`. English texts must not get the numbers of another language.
  const wanted = tag.replaceAll('_', '-');
  if (!wanted.toLowerCase().startsWith(name)) return make(name);
  try {
    return make(wanted);
  } catch {
    return make(name);
  }
}
