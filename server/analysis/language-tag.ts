const LANGUAGE_TAG = /^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*$/;
/** Enough for any language (RFC 5646, 4.4.1), and the limit of user input. */
const MAX_CHARACTERS = 35;

/** Canonicalizes a language tag (BCP 47); null if the text is not one. */
export function languageTag(raw: string | null): string | null {
  if (raw === null || raw.length > MAX_CHARACTERS || !LANGUAGE_TAG.test(raw)) return null;
  try {
    return Intl.getCanonicalLocales(raw)[0] ?? null;
  } catch {
    return null;
  }
}
