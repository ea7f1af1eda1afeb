import { type Box, blankBox, readBoxes } from './iso-boxes.ts';

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
export function blankMovie(file: Buffer, movie: Box): void {
  for (const box of readBoxes(file, movie.start, movie.end)) {
    if (FOLDERS.has(box.type)) blankMovie(file, box);
    else if (!LEAVES.has(box.type)) blankBox(file, box);
    else if (DATED.has(box.type)) file.fill(0, box.start + 4, box.start + (file[box.start] === 1 ? 20 : 12));
    else if (box.type === 'hdlr' && !PICTURE_TRACKS.has(file.toString('latin1', box.start + 8, box.start + 12))) {
      throw new RangeError('track');
    }
  }
}
