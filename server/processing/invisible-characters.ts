// Scripts whose letters take another shape beside a joiner or a non-joiner, as Persian and the languages of India.
const JOINING = 'Arab Syrc Mong Nkoo Mand Deva Beng Guru Gujr Orya Taml Telu Knda Mlym Sinh Khmr Mymr Tibt'
  .split(' ')
  .map((script) => `\\p{Script_Extensions=${script}}`)
  .join('');
const PICTOGRAPH = String.raw`\p{Extended_Pictographic}`;
/** Invisible characters that change what is seen: joiners beside letters and within emoji, and the letters of a flag. */
const NEEDED = [
  // At the end of a word too: an abbreviation of Persian, a consonant of Malayalam.
  `(?<=[${JOINING}])[\\u200C\\u200D]`,
  `(?<=${PICTOGRAPH}[\\uFE0F\\u{1F3FB}-\\u{1F3FF}]?)\\u200D(?=${PICTOGRAPH})`,
  String.raw`(?<=\u{1F3F4}[\u{E0061}-\u{E007A}]{0,5})[\u{E0061}-\u{E007A}](?=[\u{E0061}-\u{E007A}]{0,5}\u{E007F})`,
  String.raw`(?<=\u{1F3F4}[\u{E0061}-\u{E007A}]{3,6})\u{E007F}`,
  // Signs of Arabic, Syriac and Kaithi that stand around numbers are visible, although they are format characters.
  String.raw`[\u0600-\u0605\u06DD\u070F\u0890\u0891\u08E2\u{110BD}\u{110CD}]`,
].join('|');

/**
 * Returns the pattern of characters that are not seen: format characters (bidi overrides, zero-width, BOM, soft hyphens, tags), lone
 * surrogates, and letters that draw nothing. Joiners that words and emoji need are left out.
 * @param others further classes, as within brackets
 */
export function invisibleCharacters(others = ''): RegExp {
  // First the class, which almost no character is in.
  return new RegExp(`(?=[\\p{Cf}\\p{Cs}\\u115F\\u1160\\u2800\\u3164\\uFFA0${others}])(?!${NEEDED}).`, 'gsu');
}
