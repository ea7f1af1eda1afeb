import { createI18n, type LocaleName, type MessageParams, type Messages } from '../i18n/index.ts';
import { en } from './texts/en.ts';

const LOADERS: Record<Exclude<LocaleName, 'en'>, () => Promise<Messages>> = {
  de: async () => (await import('./texts/de.ts')).de,
  fr: async () => (await import('./texts/fr.ts')).fr,
  es: async () => (await import('./texts/es.ts')).es,
  ja: async () => (await import('./texts/ja.ts')).ja,
  ar: async () => (await import('./texts/ar.ts')).ar,
};

const english: Messages = { ...en, ...readTexts(document) };
const paramsOf = new WeakMap<Element, MessageParams>();
let texts = createI18n({ locale: 'en', messages: english });
let wanted: LocaleName = 'en';

/** Shows a text of the page in an element, now and after each change of the language. */
export function say(element: HTMLElement, key: string, params: MessageParams = {}): void {
  element.dataset.text = key;
  paramsOf.set(element, params);
  element.textContent = texts.t(key, params);
}

/** Shows the page in a language. Keeps the present one if its texts cannot be loaded. */
export async function showLanguage(locale: LocaleName): Promise<void> {
  wanted = locale;
  const messages = locale === 'en' ? english : await LOADERS[locale]().catch(() => null);
  if (!messages || wanted !== locale) return;
  texts = createI18n({ locale, messages, fallback: english });
  document.documentElement.lang = locale;
  document.documentElement.dir = texts.dir;
  for (const element of document.querySelectorAll<HTMLElement>('[data-text]')) {
    say(element, element.dataset.text ?? '', paramsOf.get(element));
  }
  for (const element of document.querySelectorAll<HTMLElement>('[data-label]')) {
    element.ariaLabel = texts.t(element.dataset.label ?? '');
  }
}

/** Reads the English texts of the page by their keys: those of `data-text`, and the labels of `data-label`. */
function readTexts(page: ParentNode): Record<string, string> {
  const shown = [...page.querySelectorAll<HTMLElement>('[data-text]')].map(({ dataset, textContent }) => [
    dataset.text,
    textContent?.replace(/\s+/g, ' ').trim(),
  ]);
  const labels = [...page.querySelectorAll<HTMLElement>('[data-label]')].map(({ dataset, ariaLabel }) => [
    dataset.label,
    ariaLabel,
  ]);
  return Object.fromEntries([...shown, ...labels]);
}
