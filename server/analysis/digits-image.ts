import { crc32, deflateSync } from 'node:zlib';

/** Digits of 3 x 5 cells; each character holds the three bits of a row, from the top. */
const DIGITS = ['75557', '26227', '71747', '71717', '55711', '74717', '74757', '71222', '75757', '75717'];
const CELL = 16;
const MARGIN = 48;
const WHITE = 255;
const BLACK = 0;

/** Draws digits, black on white, as a PNG. */
export function drawDigits(digits: string): Buffer {
  const columns = digits.length * 4 - 1;
  const width = columns * CELL + 2 * MARGIN;
  const height = 5 * CELL + 2 * MARGIN;
  const rows: Buffer[] = [];
  for (let y = 0; y < height; y += 1) {
    // Each row begins with its filter type, 0: none.
    const row = Buffer.alloc(width + 1, WHITE);
    row[0] = 0;
    for (let x = 0; x < width; x += 1) if (isInk(digits, x, y)) row[x + 1] = BLACK;
    rows.push(row);
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // 8 bits, grey.
  header.writeUInt16BE(0x0800, 8);
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.concat(rows))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function isInk(digits: string, x: number, y: number): boolean {
  const column = Math.floor((x - MARGIN) / CELL);
  const row = Math.floor((y - MARGIN) / CELL);
  const bit = column % 4;
  if (column < 0 || row < 0 || row > 4 || bit === 3) return false;
  const pattern = DIGITS[Number(digits[Math.floor(column / 4)])]?.[row] ?? '0';
  return ((Number(pattern) >> (2 - bit)) & 1) === 1;
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}
