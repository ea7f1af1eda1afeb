import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from 'koa';
import { STREAM_RETRY_MS } from '#contract';
import { AppError } from '../errors.ts';
import { VERSION } from '../version.ts';
import type { Services } from './handlers.ts';

/**
 * Creates the route at which `admin check` finds out through a proxy that this installation answers, and what the proxy does. It
 * streams as jobs do: an event with what was seen of the request, and another one after a gap. A stranger is told that there is no such path.
 */
export function createProofRoute({ proof, streams, config }: Pick<Services, 'proof' | 'streams' | 'config'>) {
  return {
    path: proof.path,
    async handler(ctx: Context): Promise<void> {
      const answer = proof.answer(ctx.get(proof.header));
      if (answer === null) throw new AppError('not_found', `No such path: ${ctx.method} ${ctx.path}`);
      ctx.respond = false;
      const stream = streams.open(ctx.res, { retryMs: STREAM_RETRY_MS });
      const forwardedFor = ctx
        .get('X-Forwarded-For')
        .split(',')
        .map((address) => address.trim())
        .filter((address) => address !== '');
      const { protocol, host, ip: client } = ctx;
      const seen = {
        proof: answer,
        version: VERSION,
        protocol,
        host,
        client,
        forwardedFor,
        trusted: config.TRUST_PROXY,
      };
      stream.send({ event: 'seen', id: '1', data: seen });
      await sleep(proof.gapMs, undefined, { signal: stream.signal }).catch(() => {});
      stream.send({ event: 'complete', id: '2', data: {} });
      stream.end();
    },
  };
}
