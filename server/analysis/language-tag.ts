const LANGUAGE_TAG = /^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*$/;
/** As much as any language needs (RFC 5646, 4.4.1), and as a user may give. */
const MAX_CHARACTERS = 35;

/** A language tag (BCP 47) in its canonical form; null when a text is none. */
export function languageTag(raw: string | null): string | null {
  if (raw === null || raw.length > MAX_CHARACTERS || !LANGUAGE_TAG.test(raw)) return null;
  try {
    return Intl.getCanonicalLocales(raw)[0] ?? null;
  } catch {
    return null;
  }
}
