import { remember, remembered } from './remembered.ts';

const KEY = 'imagewright-theme';

/** Colour schemes; `system` follows the browser. */
export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

/** Returns the scheme chosen in this browser. */
export function readTheme(): Theme {
  const kept = remembered(KEY);
  return THEMES.find((theme) => theme === kept) ?? 'system';
}

/** Applies and stores a scheme. */
export function applyTheme(theme: Theme): void {
  remember(KEY, theme);
  document.documentElement.dataset.theme = theme;
}
