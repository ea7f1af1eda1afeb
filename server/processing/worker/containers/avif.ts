import type { ContainerMetadata } from './container-metadata.ts';
import { type Box, blankBox, readBoxes } from './iso-boxes.ts';
import { RangeSet } from './range-set.ts';

/** Boxes that are needed to read the pixels; the others are private or unknown and become free space. */
const TOP_LEVEL = new Set(['ftyp', 'meta', 'mdat', 'moov']);
const META = new Set(['hdlr', 'pitm', 'iloc', 'iinf', 'iprp', 'iref', 'idat', 'grpl', 'dinf']);
const PROPERTIES = new Set([
  ...['av1C', 'ispe', 'pixi', 'colr', 'irot', 'imir', 'clap', 'pasp', 'auxC', 'clli', 'mdcv', 'cclv', 'amve'],
  ...['a1op', 'a1lx', 'lsel', 'reve', 'ndwt'],
]);
const PICTURES = new Set(['av01', 'grid', 'iovl', 'iden', 'tmap', 'sato']);
const PRIVATE = new Set(['Exif', 'mime', 'uri ']);

/**
 * Copies an AVIF and overwrites everything with zeros that is not needed to read its pictures (ISO 23008-12). Nothing moves, so
 * offsets stay valid; orientation and colour are properties, not EXIF, and are kept. The given metadata is written where the file has its
 * own, if it fits there.
 * @returns null if the file's structure is unknown or contradictory, or contains a thumbnail
 */
export function blankAvif(file: Buffer, metadata: ContainerMetadata): Buffer | null {
  const copy = Buffer.from(file);
  try {
    const boxes = readBoxes(file, 0, file.length);
    const metas = boxes.filter(({ type }) => type === 'meta');
    const [meta] = metas;
    if (!meta || metas.length > 1) return null;
    const inMeta = readBoxes(file, meta.start + 4, meta.end);
    const extents = readExtents(file, boxes, inMeta);
    if (!extents) return null;
    const movies = boxes.filter(({ type }) => type === 'moov');
    const dataBoxes = [...boxes, ...inMeta].filter(({ type }) => type === 'mdat' || type === 'idat');
    if (movies.length === 0) {
      for (const { start, end } of dataBoxes) copy.fill(0, start, end);
      for (const { start, end } of extents.kept.merged()) file.copy(copy, start, start, end);
    } else {
      // The samples of an animation are in the same box.
      for (const { start, end } of extents.dropped.merged()) copy.fill(0, start, end);
      for (const movie of movies) blankMovie(copy, movie);
    }
    writeInPlace(copy, extents.reusable, metadata);
    blankOthers(copy, boxes, TOP_LEVEL);
    blankOthers(copy, inMeta, META);
    const properties = inMeta.find(({ type }) => type === 'iprp');
    for (const box of properties ? readBoxes(file, properties.start, properties.end) : []) {
      if (box.type === 'ipco') blankOthers(copy, readBoxes(file, box.start, box.end), PROPERTIES);
      else if (box.type !== 'ipma') blankBox(copy, box);
    }
    return copy;
  } catch {
    return null;
  }
}

function blankOthers(file: Buffer, boxes: Box[], known: Set<string>): void {
  for (const box of boxes) if (!known.has(box.type)) blankBox(file, box);
}

/** Extent of an item with EXIF or XMP, in bytes of the file. */
interface MetadataExtent {
  kind: 'exif' | 'xmp';
  start: number;
  length: number;
}

/** The byte ranges of the pictures, and of EXIF and XMP. */
interface Extents {
  kept: RangeSet;
  dropped: RangeSet;
  reusable: MetadataExtent[];
}

/** Offset of the TIFF header behind its prefix (ISO 23008-12, annex A). */
const EXIF_PREFIX = Buffer.from('\0\0\0\x06Exif\0\0', 'latin1');

/** Writes EXIF and XMP over the first of the file's own that is long enough. */
function writeInPlace(copy: Buffer, extents: MetadataExtent[], { exif, xmp }: ContainerMetadata): void {
  const written = {
    exif: exif && Buffer.concat([EXIF_PREFIX, exif]),
    xmp: xmp === null ? null : Buffer.from(xmp, 'utf8'),
  };
  for (const kind of ['exif', 'xmp'] as const) {
    const data = written[kind];
    const extent = data && extents.find((one) => one.kind === kind && one.length >= data.length);
    if (!extent) continue;
    // A packet may be followed by white space.
    copy.fill(kind === 'xmp' ? 0x20 : 0, extent.start, extent.start + extent.length);
    data.copy(copy, extent.start);
  }
}

function readExtents(file: Buffer, boxes: Box[], inMeta: Box[]): Extents | null {
  const one = (type: string) => inMeta.find((box) => box.type === type);
  const [info, locations, references, data] = [one('iinf'), one('iloc'), one('iref'), one('idat')];
  if (!info || !locations) return null;
  // A thumbnail may show what was cropped away.
  if (references && readBoxes(file, references.start + 4, references.end).some(({ type }) => type === 'thmb'))
    return null;
  const types = readItemTypes(file, info);
  const kept = new RangeSet(file.length);
  const dropped = new RangeSet(file.length);
  const reusable: MetadataExtent[] = [];
  const media = boxes.filter(({ type }) => type === 'mdat');
  for (const { item, method, offset, length } of readLocations(file, locations)) {
    const type = types.get(item) ?? '';
    if (!PICTURES.has(type) && !PRIVATE.has(type)) return null;
    const start = method === 0 ? offset : (data?.start ?? Number.NaN) + offset;
    const dataBoxes = method === 0 ? media : data ? [data] : [];
    if (method > 1 || !dataBoxes.some((box) => start >= box.start && start + length <= box.end)) return null;
    (PICTURES.has(type) ? kept : dropped).add(start, start + length);
    if (type === 'Exif') reusable.push({ kind: 'exif', start, length });
    if (type === 'mime') reusable.push({ kind: 'xmp', start, length });
  }
  return kept.overlaps(dropped) ? null : { kept, dropped, reusable };
}

/** Reads the items' types from the content of `iinf`: `infe` version 2 or 3. */
export function readItemTypes(file: Buffer, info: Box): Map<number, string> {
  const version = file[info.start] ?? 0;
  const types = new Map<number, string>();
  for (const { start } of readBoxes(file, info.start + (version === 0 ? 6 : 8), info.end)) {
    const wide = (file[start] ?? 0) >= 3;
    const id = wide ? file.readUInt32BE(start + 4) : file.readUInt16BE(start + 4);
    types.set(id, file.toString('latin1', start + (wide ? 10 : 8), start + (wide ? 14 : 12)));
  }
  return types;
}

interface Extent {
  item: number;
  method: number;
  offset: number;
  length: number;
}

function readLocations(file: Buffer, box: Box): Extent[] {
  let at = box.start;
  const take = (bytes: number): number => {
    const value = bytes === 0 ? 0 : bytes === 8 ? Number(file.readBigUInt64BE(at)) : file.readUIntBE(at, bytes);
    at += bytes;
    if (at > box.end) throw new RangeError('locations');
    return value;
  };
  const version = take(1);
  take(3);
  const sizes = take(2);
  const [offsetSize, lengthSize, baseSize] = [sizes >> 12, (sizes >> 8) & 15, (sizes >> 4) & 15];
  const indexSize = version === 0 ? 0 : sizes & 15;
  const extents: Extent[] = [];
  for (let items = take(version < 2 ? 2 : 4); items > 0; items -= 1) {
    const item = take(version < 2 ? 2 : 4);
    const method = version === 0 ? 0 : take(2) & 15;
    // Refers to data of another file.
    if (take(2) !== 0) throw new RangeError('reference');
    const base = take(baseSize);
    for (let count = take(2); count > 0; count -= 1) {
      take(indexSize);
      const offset = base + take(offsetSize);
      const length = take(lengthSize);
      // Means the whole file.
      if (length === 0) throw new RangeError('length');
      extents.push({ item, method, offset, length });
    }
  }
  return extents;
}

/** Container boxes on the path to an animation's samples. */
const FOLDERS = new Set(['moov', 'trak', 'edts', 'mdia', 'minf', 'dinf', 'stbl']);
const LEAVES = new Set([
  ...['mvhd', 'tkhd', 'elst', 'mdhd', 'hdlr', 'vmhd', 'dref', 'tref'],
  ...['stsd', 'stts', 'ctts', 'cslg', 'stsc', 'stsz', 'stz2', 'stco', 'co64', 'stss', 'sdtp', 'sbgp', 'sgpd'],
]);
/** Boxes that begin with the times of creation and modification. */
const DATED = new Set(['mvhd', 'tkhd', 'mdhd']);
const PICTURE_TRACKS = new Set(['pict', 'auxv', 'vide']);

/**
 * Overwrites everything in an animated AVIF's `moov` box but its frames with zeros: places, names, times.
 * @throws RangeError if a track contains anything but pictures, since its samples would remain
 */
function blankMovie(file: Buffer, movie: Box): void {
  for (const box of readBoxes(file, movie.start, movie.end)) {
    if (FOLDERS.has(box.type)) blankMovie(file, box);
    else if (!LEAVES.has(box.type)) blankBox(file, box);
    else if (DATED.has(box.type)) file.fill(0, box.start + 4, box.start + (file[box.start] === 1 ? 20 : 12));
    else if (box.type === 'hdlr' && !PICTURE_TRACKS.has(file.toString('latin1', box.start + 8, box.start + 12))) {
      throw new RangeError('track');
    }
  }
}
