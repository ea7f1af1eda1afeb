import fc from 'fast-check';
import { type CreatedShare, SHARES_PER_SESSION, type SharedImages } from '#contract';
import { createApiClient } from '../../support/api-client.ts';
import { expectEqual } from '../check-session.ts';
import { ask } from '../hands.ts';
import { liveSessions, pick, type Told } from '../told.ts';
import { command, type HistoryCommand } from './history-command.ts';

/** Creates a link to a session. */
export const createShare: fc.Arbitrary<HistoryCommand> = fc.nat(60).map((which) =>
  command(
    `share ${which}`,
    (told) => liveSessions(told).length > 0,
    async (told, hands) => {
      const session = pick(liveSessions(told), which);
      const path = `/v1/sessions/${session.id}/shares`;
      const { answer, body } = await ask<CreatedShare>(hands, path, { json: { sender: 'A site' } }, 201, 409);
      if (answer.isRepeated) session.possibleShares += 1;
      const live = session.shares.filter(({ isRevoked }) => !isRevoked).length + session.possibleShares;
      if (answer.status === 409) {
        if (live < SHARES_PER_SESSION) throw new Error(`${path}: refused with ${live} links`);
        return session;
      }
      const token = body.url.slice(body.url.indexOf('#') + 1);
      session.shares.push({ id: body.id, token, isRevoked: false, answers: new Map() });
      return session;
    },
  ),
);

const liveShares = (told: Readonly<Told>) =>
  liveSessions(told).flatMap((session) =>
    session.shares.filter(({ isRevoked }) => !isRevoked).map((share) => ({ session, share })),
  );

/** Answers as the visitor of a link. */
export const answerShare: fc.Arbitrary<HistoryCommand> = fc
  .tuple(fc.nat(60), fc.nat(60), fc.constantFrom('approved', 'change'), fc.constantFrom('', 'Darker, please'))
  .map(([which, image, verdict, comment]) =>
    command(
      `answer ${which} ${image} ${verdict} ${comment}`,
      (told) => liveShares(told).length > 0,
      async (told, hands) => {
        const { session, share } = pick(liveShares(told), which);
        const visitor = { ...hands, api: createApiClient({ url: hands.stage.url }) };
        const headers = { 'X-Share-Token': share.token };
        const { body: shown } = await ask<SharedImages>(visitor, '/shared/images', { headers }, 200);
        expectEqual(`images of ${share.id}`, shown.images.length, session.images.length);
        const { id, textsVersion, result } = pick(shown.images, image);
        if (result && !session.jobs.some(({ isRunning }) => isRunning)) {
          const sizes = session.files.filter(({ imageId }) => imageId === id).map(({ size }) => size);
          if (!sizes.includes(result.size)) throw new Error(`${share.id}: a result of ${result.size} bytes, not told`);
        }
        const json = { verdict, comment, textsVersion };
        await ask(visitor, `/shared/images/${id}/answer`, { json, headers }, 200);
        share.answers.set(id, { verdict, comment, textsVersion });
        return session;
      },
    ),
  );

/** Revokes a link. */
export const revokeShare: fc.Arbitrary<HistoryCommand> = fc.nat(60).map((which) =>
  command(
    `revoke ${which}`,
    (told) => liveShares(told).length > 0,
    async (told, hands) => {
      const { session, share } = pick(liveShares(told), which);
      await ask(hands, `/v1/sessions/${session.id}/shares/${share.id}`, { method: 'DELETE' }, 204);
      share.isRevoked = true;
      const visitor = { ...hands, api: createApiClient({ url: hands.stage.url }) };
      await ask(visitor, '/shared/images', { headers: { 'X-Share-Token': share.token } }, 404);
      return session;
    },
  ),
);
