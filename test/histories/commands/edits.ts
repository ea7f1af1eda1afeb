import fc from 'fast-check';
import type { RenamedFile } from '#contract';
import { ask } from '../hands.ts';
import { liveSessions, nameKey, pick, type ToldSession } from '../told.ts';
import { command, type HistoryCommand } from './history-command.ts';
import { BASE_NAMES } from './uploads.ts';

const texts = fc.record(
  {
    title: fc.option(fc.constantFrom('A beach', 'The sea, at night', '"Ü" <b>')),
    alt: fc.option(fc.constantFrom('Waves', 'Sand')),
    filename: fc.option(fc.constantFrom(...BASE_NAMES), { freq: 6 }),
  },
  { requiredKeys: [] },
);

/** Edits texts of an image; a file name renames its files. */
export const editImage: fc.Arbitrary<HistoryCommand> = fc
  .tuple(fc.nat(60), fc.nat(60), texts)
  .map(([which, image, metadata]) => editOf(which, image, metadata));

/** Edits these texts of an image. */
export function editOf(which: number, image: number, metadata: Record<string, string | null>): HistoryCommand {
  return command(
    `edit ${which} ${image} ${JSON.stringify(metadata)}`,
    (told) => liveSessions(told).length > 0,
    async (told, hands) => {
      const session = pick(liveSessions(told), which);
      const target = pick(session.images, image);
      const running = session.jobs.filter(({ isRunning }) => isRunning);
      if (metadata.filename !== undefined) for (const job of running) job.overlaps = true;
      const path = `/v1/sessions/${session.id}/images/${target.id}`;
      const request = { method: 'PATCH', json: { metadata } };
      const { answer, body } = await ask<{ renamedFiles?: RenamedFile[] }>(hands, path, request, 200);
      Object.assign(target.texts, metadata);
      // An attempt whose answer never came may have renamed the files; the next one finds nothing to rename.
      const isUnsure = running.length > 0 || (answer.isRepeated && metadata.filename !== undefined);
      noteRenamed(session, target.id, body.renamedFiles ?? [], isUnsure);
      return session;
    },
  );
}

/**
 * Notes that names lead to files that had other names. Where it is unsure, since a job runs, an answer was lost or files of
 * one name have several names now, each name of the image may lead to each of its files.
 */
function noteRenamed(session: ToldSession, imageId: string, renamed: RenamedFile[], isUnknown: boolean): void {
  const { newest, owners, files } = session;
  const namesNow = new Map<string, Set<string>>();
  for (const { from, to } of renamed) namesNow.set(from, (namesNow.get(from) ?? new Set()).add(to));
  const isUnsure = isUnknown || [...namesNow.values()].some(({ size }) => size > 1);
  const all = files.filter((file) => file.imageId === imageId && file.namespace === session.id);
  for (const { to } of renamed) {
    const key = nameKey(session.id, to);
    const led = renamed
      .filter((one) => one.to === to)
      .flatMap(({ from }) => [...(newest.get(nameKey(session.id, from)) ?? [])]);
    newest.set(key, new Set([...(newest.get(key) ?? []), ...led]));
    owners.set(key, imageId);
  }
  const own = isUnsure ? [...owners].filter(([, owner]) => owner === imageId).map(([key]) => key) : [];
  for (const key of own) newest.set(key, new Set([...(newest.get(key) ?? []), ...all.map(({ sha256 }) => sha256)]));
}
