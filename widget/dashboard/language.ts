import type { ReactiveController, ReactiveControllerHost } from 'lit';
import { createI18n, type I18n, LOCALES, type LocaleName } from '../i18n/index.ts';
import { remember, remembered } from './remembered.ts';
import { EN } from './texts/en.ts';
import { loadTexts } from './texts/load-texts.ts';
import { bindTexts, flattenTexts } from './texts/text-tree.ts';

const KEY = 'imagewright-language';

/** Languages by their own names. */
export const LANGUAGES: Record<LocaleName, string> = {
  en: 'English',
  de: 'Deutsch',
  fr: 'Français',
  es: 'Español',
  ja: '日本語',
  ar: 'العربية',
};

const english = flattenTexts(EN);
let current: I18n = createI18n({ locale: 'en', messages: english });
let wanted: LocaleName = 'en';
const followers = new Set<ReactiveControllerHost>();

/** Texts of the dashboard in the current language. */
export const STRINGS = bindTexts(EN, (path, params) => current.t(path, params));

/** Returns the texts and formats of the current language. */
export const language = (): I18n => current;

/** Returns the language chosen in this browser, else the first of the browser's languages that the dashboard has. */
export function preferredLanguage(): LocaleName {
  const wanted = [remembered(KEY) ?? '', ...navigator.languages];
  for (const tag of wanted) {
    const name = LOCALES.find((locale) => locale === tag.toLowerCase().split('-')[0]);
    if (name) return name;
  }
  return 'en';
}

/** Shows everything in a language. Keeps the present one if its texts cannot be loaded, or another one was chosen meanwhile. */
export async function showLanguage(name: LocaleName): Promise<void> {
  wanted = name;
  const texts = await loadTexts(name).catch(() => null);
  if (!texts || name !== wanted) return;
  current = createI18n({ locale: name, messages: flattenTexts(texts), fallback: english });
  document.documentElement.lang = name;
  document.documentElement.dir = current.dir;
  for (const host of followers) host.requestUpdate();
}

/** Shows everything in a language, and remembers it. */
export async function chooseLanguage(name: LocaleName): Promise<void> {
  remember(KEY, name);
  await showLanguage(name);
}

/** Renders a component again when the language changes. */
export class FollowLanguage implements ReactiveController {
  readonly #host: ReactiveControllerHost;

  constructor(host: ReactiveControllerHost) {
    this.#host = host;
    host.addController(this);
  }

  hostConnected(): void {
    followers.add(this.#host);
  }

  hostDisconnected(): void {
    followers.delete(this.#host);
  }
}
