import type { ApiClient } from '../support/api-client.ts';
import type { SmallImage } from '../support/small-images.ts';
import { type Answer, bodyOf, call, type Request } from './patient-calls.ts';
import type { Stage } from './stages/stage.ts';

/** One client of a history: what its commands work with. */
export interface Hands {
  api: ApiClient;
  stage: Stage;
  pictures: SmallImage[];
  /** Number of the client. */
  client: number;
  /** Commands of this client, and what came of them. */
  trace: string[];
  /** Calls of all clients so far. */
  tally: { calls: number; downloads: number };
  /** True once another client has found a fault, or this one has done its calls. */
  isOver: () => boolean;
  /** Makes an `Idempotency-Key` that no other call has. */
  newKey: () => string;
}

/** Sends a call and reads its JSON. @throws Error if its status is none of those that were expected */
export async function ask<Body>(hands: Hands, path: string, request: Request, ...expected: number[]) {
  const answer = await send(hands, path, request);
  return { answer, body: bodyOf<Body>(`${request.method ?? ''} ${path}`, answer, ...expected) };
}

/** Sends a call and counts it. */
export function send(hands: Hands, path: string, request: Request = {}): Promise<Answer> {
  hands.tally.calls += 1;
  return call(hands.api, path, request);
}
