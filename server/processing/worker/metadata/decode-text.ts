/** Characters of the code page of Western Windows from 0x80 to 0x9F, which Node's decoder does not know. The others are those of Latin-1. */
const WINDOWS = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

/**
 * Decodes a text of EXIF. The standard requires ASCII; programs write UTF-8, older ones the code page of Western Windows. A character that is cut
 * off at the end is left out.
 */
export function decodeText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
  } catch {
    return Array.from(bytes, (byte) => WINDOWS[byte - 0x80] ?? String.fromCharCode(byte)).join('');
  }
}
