const MAX_WORDS = 8;
const MAX_CHARACTERS = 80;
const IMAGE_EXTENSION = /\.(?:jpe?g|png|webp|avif|gif|tiff?|svg|heic|hei?f|bmp)$/i;

/** Letters without a Unicode decomposition. */
const LETTERS: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ı: 'i',
};
const GERMAN: Record<string, string> = { ä: 'ae', ö: 'oe', ü: 'ue' };

/**
 * Converts a model's suggestion to a file name: lower-case ASCII words joined by hyphens, at most 8 words and 80 characters.
 * @param language BCP 47; German umlauts become two letters
 * @returns null if nothing is left
 */
export function slugOf(raw: string, language: string | null): string | null {
  const letters = language?.toLowerCase().startsWith('de') ? { ...LETTERS, ...GERMAN } : LETTERS;
  const words = raw
    .slice(0, 500)
    // The last part of a path is the name.
    .split(/[/\\]/)
    .findLast((part) => /[\p{L}\p{N}]/u.test(part))
    ?.replace(/<[^<>]*>/g, ' ')
    .replace(IMAGE_EXTENSION, '')
    .toLowerCase()
    .normalize('NFC')
    .replace(/[^\0-\x7f]/g, (letter) => letters[letter] ?? letter)
    .normalize('NFKD')
    .replace(/\p{M}|['’]/gu, '')
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
  let slug = '';
  for (const word of words?.slice(0, MAX_WORDS) ?? []) {
    const longer = slug === '' ? word.slice(0, MAX_CHARACTERS) : `${slug}-${word}`;
    if (longer.length > MAX_CHARACTERS) break;
    slug = longer;
  }
  return slug === '' ? null : slug;
}
