// Owns the widget's texts and number formats. Must not know elements or the service.
export { enCore } from './english-core.ts';
export { LOCALES, type LocaleName, loadLocale, matchLocale, nearestLanguage } from './load-locale.ts';
export type { Messages, PluralForms } from './messages.ts';
export { prepareFormats } from './prepare-formats.ts';
export { createI18n, DIGITS, type I18n, type MessageKey, type MessageParams } from './translate.ts';
