import fc from 'fast-check';
import { editImage } from './edits.ts';
import { deleteSession, killServer } from './endings.ts';
import { cancelJob, exportAndKill, exportImages, followLater, leaveExport, sampleImages } from './exports.ts';
import type { HistoryCommand } from './history-command.ts';
import { repeatCall } from './repeats.ts';
import { answerShare, createShare, revokeShare } from './shares.ts';
import { addImages, createSession } from './uploads.ts';

/** Places of kills: nowhere, in exports alone, or anywhere. */
export type Kills = 'none' | 'exports' | 'anywhere';

/** Numbers of the histories that are made. */
export interface HistoryShape {
  clients: number;
  /** Commands of all clients together. */
  calls: number;
  kills: Kills;
}

/** Commands that are made for one that is done: where nothing is there to work with, one is left out. */
const SPARE = 2;

/** Returns the calls of each client. */
export const callsOfEach = ({ clients, calls }: HistoryShape): number => Math.ceil(calls / clients);

/** Makes the commands of one history: a list a client, long enough for its calls until `isShrinking` allows shorter ones. */
export function histories(shape: HistoryShape, isShrinking: () => boolean = () => false) {
  const { clients, kills } = shape;
  const least = callsOfEach(shape) * SPARE;
  const calm = [
    ...[createSession, addImages, editImage, editImage, sampleImages, exportImages, exportImages, exportImages],
    ...[leaveExport, leaveExport, followLater, cancelJob, createShare, answerShare, revokeShare],
    ...[repeatCall, repeatCall, deleteSession],
  ];
  const all = [
    // Twice, so that one call of twenty is a kill.
    ...calm,
    ...calm,
    ...(kills === 'none' ? [] : [exportAndKill]),
    ...(kills === 'anywhere' ? [killServer] : []),
  ];
  const list = fc
    .commands(all as fc.Arbitrary<HistoryCommand>[], { maxCommands: Math.ceil(least * 1.2), size: 'max' })
    .filter((commands) => isShrinking() || [...commands].length >= least);
  return fc.array(list, { minLength: clients, maxLength: clients });
}
