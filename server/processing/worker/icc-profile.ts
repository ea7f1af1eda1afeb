/** Returns true if an ICC profile describes itself as sRGB (ICC.1:2022, 9.2.41), so that a conversion needs no warning. */
export function isSrgbProfile(icc: Buffer): boolean {
  if (icc.length < 132) return false;
  const count = Math.min(icc.readUInt32BE(128), 100);
  for (let at = 132; at + 12 <= icc.length && at < 132 + count * 12; at += 12) {
    if (icc.toString('latin1', at, at + 4) !== 'desc') continue;
    const offset = icc.readUInt32BE(at + 4);
    // Version 2 stores ASCII, version 4 UTF-16; without the zero bytes both are equal.
    const text = icc.toString('latin1', offset, offset + Math.min(icc.readUInt32BE(at + 8), 512));
    return text.replaceAll('\0', '').includes('sRGB');
  }
  return false;
}
