/** Returns a function that names languages (BCP 47) in the language of a page; others keep their tag. */
export function createLanguageNames(locale: string): (tag: string) => string {
  const names = new Intl.DisplayNames([locale], { type: 'language', fallback: 'code' });
  return (tag) => {
    try {
      return names.of(tag) ?? tag;
    } catch {
      return tag; // Not a language tag: set by the page.
    }
  };
}
