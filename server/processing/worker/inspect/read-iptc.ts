/** Fields read from an IPTC-IIM block. */
export interface IptcTexts {
  title: string | null;
  caption: string | null;
  tags: string[];
}

const OBJECT_NAME = 5;
const KEYWORDS = 25;
const CAPTION = 120;
const MAX_DATASETS = 500;

/** Reads IPTC-IIM 4.2, bare or inside Photoshop's image resources; a damaged block is read up to the damage. */
export function readIptc(block: Buffer | undefined): IptcTexts {
  const found: IptcTexts = { title: null, caption: null, tags: [] };
  for (const [dataset, text] of readDatasets(block)) {
    if (dataset === OBJECT_NAME) found.title ??= text;
    if (dataset === CAPTION) found.caption ??= text;
    if (dataset === KEYWORDS) found.tags.push(text);
  }
  return found;
}

/** Reads the texts of record 2 by dataset number. */
export function iptcValues(block: Buffer | undefined): Map<number, string[]> {
  const found = new Map<number, string[]>();
  for (const [dataset, text] of readDatasets(block)) found.set(dataset, [...(found.get(dataset) ?? []), text]);
  return found;
}

/** Reads the texts of record 2 with their numbers. */
function readDatasets(block: Buffer | undefined): [number, string][] {
  const iim = block && findIim(block);
  if (!iim) return [];
  const found: [number, string][] = [];
  // 1:90 declares UTF-8; without it the encoding is that of the writer's system.
  const decode = textDecoder(iim.includes('\x1b%G', 0, 'latin1'));
  for (let at = 0, count = 0; at + 5 <= iim.length && iim[at] === 0x1c && count < MAX_DATASETS; count += 1) {
    const length = iim.readUInt16BE(at + 3);
    // Extended datasets are longer than 32 kB and not texts.
    if (length > 0x7fff || at + 5 + length > iim.length) break;
    const text = iim[at + 1] === 2 ? decode(iim.subarray(at + 5, at + 5 + length)) : '';
    if (text) found.push([iim[at + 2] ?? 0, text]);
    at += 5 + length;
  }
  return found;
}

function findIim(block: Buffer): Buffer | null {
  if (block[0] === 0x1c) return block;
  let at = block.toString('latin1', 0, 14) === 'Photoshop 3.0\0' ? 14 : 0;
  while (at + 12 <= block.length && block.toString('latin1', at, at + 4) === '8BIM') {
    const id = block.readUInt16BE(at + 4);
    // A Pascal string, padded to an even length with its length byte, then the size.
    const sizeAt = at + 6 + (((block[at + 6] ?? 0) + 2) & ~1);
    if (sizeAt + 4 > block.length) return null;
    const size = block.readUInt32BE(sizeAt);
    if (id === 0x0404) return block.subarray(sizeAt + 4, sizeAt + 4 + size);
    at = sizeAt + 4 + size + (size % 2);
  }
  return null;
}

function textDecoder(utf8: boolean): (bytes: Buffer) => string {
  const strict = new TextDecoder('utf-8', { fatal: !utf8 });
  return (bytes) => {
    try {
      return strict.decode(bytes).replaceAll('\0', '').trim();
    } catch {
      return bytes.toString('latin1').replaceAll('\0', '').trim();
    }
  };
}
