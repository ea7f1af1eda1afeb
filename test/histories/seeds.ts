import { editOf } from './commands/edits.ts';
import { exportOf } from './commands/exports.ts';
import type { HistoryCommand } from './commands/history-command.ts';
import { sessionOf } from './commands/uploads.ts';

const onePicture = sessionOf({ pictures: [0], filename: null });

/** Histories in which something that was told had turned untrue, as short as they could be made. */
export const SEEDS: Record<string, HistoryCommand[]> = {
  'an image is exported again without its name': [
    onePicture,
    exportOf(0, [0], { preset: 'high' }, 'x'),
    exportOf(0, [0], { preset: 'high' }),
  ],
  'an image is exported again with another preset under its name': [
    onePicture,
    exportOf(0, [0], { preset: 'high' }, 'x'),
    exportOf(0, [0], { preset: 'medium' }, 'x'),
  ],
  'a name that an image has left is given to another preset': [
    onePicture,
    exportOf(0, [0], { preset: 'high' }, 'x'),
    exportOf(0, [0], { preset: 'high' }),
    exportOf(0, [0], { preset: 'medium' }, 'x'),
  ],
  'an image is renamed between two exports': [
    onePicture,
    exportOf(0, [0], { preset: 'high' }),
    editOf(0, 0, { filename: 'x' }),
    exportOf(0, [0], { preset: 'high' }, 'sea'),
    exportOf(0, [0], { preset: 'low' }, 'x'),
  ],
  'an image that was renamed is exported under its former name': [
    onePicture,
    exportOf(0, [0], { preset: 'high', responsive: true, responsiveSizes: [20] }, 'x'),
    editOf(0, 0, { filename: 'sea' }),
    exportOf(0, [0], { preset: 'high' }, 'x'),
    editOf(0, 0, { filename: 'sea' }),
  ],
};
