/** Most languages of one image's texts. */
export const MAX_LANGUAGES = 8;

/** Form of a language tag (BCP 47). */
export const LANGUAGE_TAG = /^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*$/;
/** Longest language tag: enough for any language (RFC 5646, 4.4.1). */
export const LANGUAGE_TAG_LENGTH = 35;

/** Canonicalizes a language tag (BCP 47), such as `pt-BR`; null if the text is not one. */
export function languageTag(raw: string | null): string | null {
  if (raw === null || raw.length > LANGUAGE_TAG_LENGTH || !LANGUAGE_TAG.test(raw)) return null;
  try {
    return Intl.getCanonicalLocales(raw)[0] ?? null;
  } catch {
    return null;
  }
}

/**
 * Returns the language that serves a wanted one: itself, one without its region (RFC 4647, 3.4), or one of another region in the
 * same script; undefined if none does.
 */
export function serveLanguage(wanted: string, available: readonly string[]): string | undefined {
  const tag = languageTag(wanted);
  if (!tag) return undefined;
  const parts = tag.toLowerCase().split('-');
  for (; parts.length > 0; parts.pop()) {
    const found = available.find((one) => one.toLowerCase() === parts.join('-'));
    if (found) return found;
  }
  return available.find((one) => scriptOf(one) === scriptOf(tag));
}

/** Returns language and script, such as `zh-Hant`. */
function scriptOf(tag: string): string {
  const { language, script } = new Intl.Locale(languageTag(tag) ?? 'und').maximize();
  return `${language}-${script ?? ''}`;
}
