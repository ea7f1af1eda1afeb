const LONGEST = 255;
// C0, DEL, C1, and the bidi controls that make "gpj.exe" read as "exe.jpg" in a list.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this removes
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/**
 * Cleans a client's file name: basename only, no control characters, at most 255 characters.
 * @returns `image` if nothing is left
 */
export function cleanOriginalFilename(given: string | undefined): string {
  const basename = (given ?? '').replace(UNPRINTABLE, '').split(/[\\/]/).at(-1) ?? '';
  const name = [...basename.trim()].slice(0, LONGEST).join('').trim();
  return name === '' || name === '.' || name === '..' ? 'image' : name;
}
