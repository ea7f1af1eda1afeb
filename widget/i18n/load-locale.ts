import type { Messages } from './messages.ts';

/** Languages of the widget. Each is a separate chunk, loaded on demand. */
const LOADERS = {
  en: async (): Promise<Messages> => (await import('./en.ts')).en,
  de: async (): Promise<Messages> => (await import('./de.ts')).de,
  fr: async (): Promise<Messages> => (await import('./fr.ts')).fr,
  es: async (): Promise<Messages> => (await import('./es.ts')).es,
  ja: async (): Promise<Messages> => (await import('./ja.ts')).ja,
  ar: async (): Promise<Messages> => (await import('./ar.ts')).ar,
} as const;

/** Language of the widget. */
export type LocaleName = keyof typeof LOADERS;

/** Languages of the widget. */
export const LOCALES = Object.keys(LOADERS) as LocaleName[];

/** Returns the language for a BCP 47 tag: `de` for `de-AT`, English for unknown ones. */
export function matchLocale(tag: string | null | undefined): LocaleName {
  const language = tag?.trim().toLowerCase().split(/[-_]/)[0];
  return LOCALES.find((name) => name === language) ?? 'en';
}

/** Returns the nearest `lang` around an element, across shadow roots; else the browser's language. */
export function nearestLanguage(element: Element): string {
  for (let place: Element | null = element; place; ) {
    const found = place.closest('[lang]')?.getAttribute('lang');
    if (found) return found;
    const root = place.getRootNode();
    place = root instanceof ShadowRoot ? root.host : null;
  }
  return globalThis.navigator?.language ?? 'en';
}

/** Loads the texts for a BCP 47 tag. `enCore` has the English texts of the empty element without loading. */
export function loadLocale(tag: string): Promise<Messages> {
  return LOADERS[matchLocale(tag)]();
}
