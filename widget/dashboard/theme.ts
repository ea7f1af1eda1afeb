const KEY = 'imagewright-theme';

/** Schemes that can be chosen; `system` is the browser's. */
export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

/** The scheme that was chosen in this browser. */
export function readTheme(): Theme {
  const kept = localStorage.getItem(KEY);
  return THEMES.find((theme) => theme === kept) ?? 'system';
}

/** Shows the page in a scheme, now and next time. */
export function applyTheme(theme: Theme): void {
  localStorage.setItem(KEY, theme);
  document.documentElement.dataset.theme = theme;
}
