import { createI18n, enCore, type I18n, loadLocale, type Messages, matchLocale } from '../../i18n/index.ts';

/** The nearest `lang` around an element, across shadow roots; else the browser's language. */
export function nearestLanguage(element: Element): string {
  for (let place: Element | null = element; place; ) {
    const found = place.closest('[lang]')?.getAttribute('lang');
    if (found) return found;
    const root = place.getRootNode();
    place = root instanceof ShadowRoot ? root.host : null;
  }
  return globalThis.navigator?.language ?? 'en';
}

/** Texts and formats for a BCP 47 tag; `strings` replace single texts. English where the tag has no texts here. */
export async function loadI18n(tag: string, strings: Messages): Promise<I18n> {
  const messages = await loadLocale(tag).catch(() => enCore);
  return i18nFor(tag, messages, strings);
}

/** As much English as the first paint needs, at once. */
export function englishI18n(strings: Messages): I18n {
  return i18nFor('en', enCore, strings);
}

function i18nFor(tag: string, messages: Messages, strings: Messages): I18n {
  const name = matchLocale(tag);
  const make = (locale: string) => createI18n({ locale, messages, strings, fallback: enCore });
  // `de-AT` writes numbers in its own way; a tag of a language without texts must not format English ones.
  const wanted = tag.replaceAll('_', '-');
  if (!wanted.toLowerCase().startsWith(name)) return make(name);
  try {
    return make(wanted);
  } catch {
    return make(name);
  }
}
