import type { LocaleName } from '../../i18n/index.ts';
import { EN } from './en.ts';
import type { TextTree } from './text-tree.ts';

/** Texts by language. All but the English ones are loaded on demand. */
const LOADERS: Record<LocaleName, () => Promise<TextTree>> = {
  en: async () => EN,
  de: async () => (await import('./de.ts')).DE,
  fr: async () => (await import('./fr.ts')).FR,
  es: async () => (await import('./es.ts')).ES,
  ja: async () => (await import('./ja.ts')).JA,
  ar: async () => (await import('./ar.ts')).AR,
};

/** Loads the texts of a language. */
export const loadTexts = (name: LocaleName): Promise<TextTree> => LOADERS[name]();
