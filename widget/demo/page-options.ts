import type { LocaleName } from '../i18n/index.ts';

/** Languages of the element by their native names. */
const LANGUAGES = {
  en: 'English',
  de: 'Deutsch',
  fr: 'Français',
  es: 'Español',
  ja: '日本語',
  ar: 'العربية',
} satisfies Record<LocaleName, string>;

/** Handlers of the options bar below the element. */
export interface OptionHandlers {
  onLanguage(locale: LocaleName): void;
  onTheme(theme: string): void;
  onWidth(width: string): void;
  onMode(mode: string): void;
}

/** Applies the options bar and keeps its state in the page's address, so that a view can be shared. */
export function followOptions(form: HTMLFormElement, handlers: OptionHandlers): void {
  const languages = form.elements.namedItem('locale') as HTMLSelectElement;
  languages.append(...Object.entries(LANGUAGES).map(([tag, name]) => new Option(name, tag)));
  const own = navigator.language.split('-')[0] ?? '';
  if (own in LANGUAGES) languages.value = own;

  const address = new URL(location.href);
  for (const name of ['locale', 'theme', 'width', 'mode']) {
    const wanted = address.searchParams.get(name);
    const field = form.elements.namedItem(name) as RadioNodeList | HTMLSelectElement;
    if (wanted && valuesOf(field).includes(wanted)) field.value = wanted;
  }

  function apply(): void {
    const chosen = Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value)]));
    handlers.onLanguage(languages.value as LocaleName);
    handlers.onTheme(chosen.theme ?? 'system');
    handlers.onWidth(chosen.width ?? 'full');
    handlers.onMode(chosen.mode ?? 'download');
  }
  apply();
  form.addEventListener('change', () => {
    apply();
    for (const [name, value] of new FormData(form)) address.searchParams.set(name, String(value));
    history.replaceState(null, '', address);
  });
}

function valuesOf(field: RadioNodeList | HTMLSelectElement): string[] {
  return Array.from(field as ArrayLike<Node>, (each) => (each as HTMLInputElement | HTMLOptionElement).value);
}
