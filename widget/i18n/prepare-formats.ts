/**
 * Has the browser read its data of languages in tasks of their own, while a page waits for the network. It does so once, for its first
 * formatter of numbers and of dates, and takes as long as rendering a page.
 */
export function prepareFormats(): void {
  setTimeout(() => new Intl.NumberFormat());
  setTimeout(() => new Intl.DateTimeFormat());
}
