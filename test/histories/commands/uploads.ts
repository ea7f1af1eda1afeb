import fc from 'fast-check';
import type { UploadResult } from '#contract';
import { formOf } from '../../support/api-client.ts';
import { expectEqual } from '../check-session.ts';
import { ask, type Hands } from '../hands.ts';
import { liveSessions, pick, type Told, type ToldSession } from '../told.ts';
import { command, type HistoryCommand } from './history-command.ts';

/** Base names that collide with each other and with those of pictures. */
export const BASE_NAMES = ['x', 'X', 'beach', 'sea-2', 'x-40w'];

interface Wish {
  pictures: number[];
  filename: string | null;
}

const wish = fc.record({
  pictures: fc.array(fc.nat(20), { minLength: 1, maxLength: 3 }),
  filename: fc.option(fc.constantFrom(...BASE_NAMES), { freq: 2 }),
});

/** Creates a session with images. */
export const createSession: fc.Arbitrary<HistoryCommand> = wish.map(sessionOf);

/** Adds images to a session. */
export const addImages: fc.Arbitrary<HistoryCommand> = fc.tuple(fc.nat(60), wish).map(([which, wanted]) =>
  command(
    `add images ${which} ${show(wanted)}`,
    (told) => liveSessions(told).some(({ images }) => images.length < 6),
    async (told, hands) => {
      const small = liveSessions(told).filter(({ images }) => images.length < 6);
      return upload(told, hands, pick(small, which), wanted);
    },
  ),
);

/** Creates a session with these pictures. */
export function sessionOf(wanted: Wish): HistoryCommand {
  return command(
    `create session ${show(wanted)}`,
    (told) => liveSessions(told).length < 3,
    async (told, hands) => {
      const session = await upload(told, hands, null, wanted);
      told.sessions.push(session);
      return session;
    },
  );
}

const show = ({ pictures, filename }: Wish) =>
  `${JSON.stringify(pictures)}${filename === null ? '' : ` as ${filename}`}`;

async function upload(told: Told, hands: Hands, session: ToldSession | null, wanted: Wish): Promise<ToldSession> {
  const files = wanted.pictures.map((number) => pick(hands.pictures, number));
  const metadata = files.map((_, index) =>
    index === 0 && wanted.filename !== null ? { filename: wanted.filename } : {},
  );
  const form = async () => {
    const made = await formOf(files);
    made.append('metadata', JSON.stringify(metadata));
    return made;
  };
  const path = session ? `/v1/sessions/${session.id}/images` : '/v1/sessions';
  const send = async (key: string) => {
    const { answer, body } = await ask<UploadResult>(
      hands,
      path,
      { form, headers: { 'Idempotency-Key': key } },
      201,
      ...[404, 422],
    );
    return { status: answer.status, body: body as unknown, jobId: null };
  };
  const key = hands.newKey();
  const answer = await send(key);
  expectEqual(`status of ${path}`, answer.status, 201);
  const body = answer.body as UploadResult;
  expectEqual(`images of ${path}`, body.images.length, files.length);
  const target = session ?? emptySession(body.sessionId);
  for (const [index, { id, originalFilename, size, sha256 }] of body.images.entries()) {
    const { filename } = metadata[index] ?? {};
    const texts: Record<string, string> = filename === undefined ? {} : { filename };
    target.images.push({ id, originalFilename, size, sha256, texts });
  }
  told.calls.push({ key, path, session, send, answer });
  return target;
}

const emptySession = (id: string): ToldSession => ({
  id,
  isDeleted: false,
  images: [],
  files: [],
  newest: new Map(),
  owners: new Map(),
  shares: [],
  possibleShares: 0,
  jobs: [],
});
