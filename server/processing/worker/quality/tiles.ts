import type { Pixels } from '../pixels.ts';

/** Size of a sample of tiles. */
export interface Extent {
  /** Pixels of all tiles together, approximately. */
  area: number;
  /** Longest edge of a tile, in pixels. A multiple of 16, so that blocks of the encoders end where tiles end. */
  edge: number;
}

/** A rectangle of the image: its frame and upper left corner. */
interface Tile {
  frame: number;
  x: number;
  y: number;
}

/** Rectangles of equal size that stand for an image, and how they are put together into one. */
export interface Layout {
  tiles: Tile[];
  width: number;
  height: number;
  /** Tiles in a row. */
  columns: number;
  /** True if they are the whole image. */
  isWhole: boolean;
}

/** A tile that may be chosen, with its detail. */
interface Candidate extends Tile {
  detail: number;
}

// Rows, and pixels of a row, that are looked at for the detail of a tile.
const ROW_STEP = 16;
const COLUMN_STEP = 4;
const MOST_COLUMNS = 4;

/**
 * Chooses the tiles that stand for an image; an image that is not larger than all of them is taken whole, and three frames of an animation. Of all tiles in order of their detail they are those in the middle of equal shares, so that smooth and detailed parts
 * count by their area. The result depends on the pixels alone.
 */
export function chooseLayout(pixels: Pixels, { area, edge }: Extent): Layout {
  const { width, height, frames } = pixels;
  const shown = frames > 1 ? [...new Set([0, frames >> 1, frames - 1])] : [0];
  if (width * height * shown.length <= area) {
    return { tiles: shown.map((frame) => ({ frame, x: 0, y: 0 })), width, height, columns: 1, isWhole: frames === 1 };
  }
  const tile = { width: Math.min(edge, width), height: Math.min(edge, height) };
  const count = Math.max(1, Math.floor(area / (tile.width * tile.height * shown.length)));
  const tiles = shown.flatMap((frame) => ofAllDetail(candidatesOf(pixels, frame, tile), count));
  return { tiles, ...tile, columns: columnsFor(tiles.length), isWhole: false };
}

/** Takes a still whole. */
export function wholeLayout({ width, height }: Pixels): Layout {
  return { tiles: [{ frame: 0, x: 0, y: 0 }], width, height, columns: 1, isWhole: true };
}

/** Tiles in a row: so many that no place of the last row remains, if that is possible. */
function columnsFor(count: number): number {
  for (let columns = Math.min(MOST_COLUMNS, count); columns > 1; columns -= 1)
    if (count % columns === 0) return columns;
  return Math.min(MOST_COLUMNS, count);
}

function ofAllDetail(candidates: Candidate[], count: number): Tile[] {
  const sorted = candidates.sort((one, other) => one.detail - other.detail || one.y - other.y || one.x - other.x);
  const chosen =
    sorted.length <= count ? sorted : Array.from({ length: count }, (_, index) => middle(sorted, index, count));
  return chosen.map(({ frame, x, y }) => ({ frame, x, y }));
}

function middle(candidates: Candidate[], share: number, shares: number): Candidate {
  return candidates[Math.floor(((share + 0.5) * candidates.length) / shares)] as Candidate;
}

/** Lists the tiles of a grid in the middle of the frame. */
function candidatesOf(pixels: Pixels, frame: number, tile: { width: number; height: number }): Candidate[] {
  const columns = Math.floor(pixels.width / tile.width);
  const rows = Math.floor(pixels.height / tile.height);
  const left = (pixels.width - columns * tile.width) >> 1;
  const top = (pixels.height - rows * tile.height) >> 1;
  return Array.from({ length: columns * rows }, (_, index) => {
    const x = left + (index % columns) * tile.width;
    const y = top + Math.floor(index / columns) * tile.height;
    return { frame, x, y, detail: detailAt(pixels, { frame, x, y }, tile) };
  });
}

/** Sums the differences of neighbours in green, or grey. */
function detailAt(pixels: Pixels, { frame, x, y }: Tile, tile: { width: number; height: number }): number {
  const { data, width, height, channels } = pixels;
  let sum = 0;
  for (let row = Math.min(ROW_STEP, tile.height) >> 1; row < tile.height; row += ROW_STEP) {
    const start = ((frame * height + y + row) * width + x) * channels + (channels === 1 ? 0 : 1);
    for (let column = 1; column < tile.width; column += COLUMN_STEP) {
      const at = start + column * channels;
      sum += Math.abs((data[at] ?? 0) - (data[at - channels] ?? 0));
    }
  }
  return sum;
}

/** Puts the tiles together into one image. A place that remains in the last row repeats the last tile. */
export function cutTiles(pixels: Pixels, { tiles, width, height, columns, isWhole }: Layout): Pixels {
  if (isWhole) return pixels;
  const { channels } = pixels;
  const rows = Math.ceil(tiles.length / columns);
  const data = Buffer.alloc(columns * rows * width * height * channels);
  for (let place = 0; place < columns * rows; place += 1) {
    const tile = tiles[Math.min(place, tiles.length - 1)] as Tile;
    const left = (place % columns) * width;
    const top = Math.floor(place / columns) * height;
    for (let row = 0; row < height; row += 1) {
      const from = ((tile.frame * pixels.height + tile.y + row) * pixels.width + tile.x) * channels;
      const to = ((top + row) * columns * width + left) * channels;
      pixels.data.copy(data, to, from, from + width * channels);
    }
  }
  return { data, width: columns * width, height: rows * height, channels, frames: 1 };
}
