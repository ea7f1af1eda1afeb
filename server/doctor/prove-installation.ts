import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** Header field of a request that wants the proof. */
export const PROOF_HEADER = 'x-imagewright-check';
/** Path at which a server proves that it belongs to an installation. Below `/v1`, as the streams that proxies pass on. */
export const PROOF_PATH = '/v1/installation';
/** Gap between the two events of the proof, in milliseconds. */
const GAP_MS = 1500;
/** Time for which a request is answered, in milliseconds: clocks of one installation differ by less. */
const VALID_MS = 600_000;

/**
 * Creates what proves that two programs belong to one installation: both have the secret of the API keys. A stranger gets no
 * answer, and learns nothing of the secret.
 */
export function createProver(pepper: Buffer, now: () => number = Date.now) {
  const sign = (purpose: string, text: string) =>
    createHmac('sha256', pepper).update(`imagewright: ${purpose} of the check ${text}`).digest('hex');
  return {
    /** Makes the value of the header field, and the answer to it. */
    ask(): { question: string; answer: string } {
      const what = `${now()}.${randomBytes(12).toString('hex')}`;
      return { question: `${what}.${sign('question', what)}`, answer: sign('answer', what) };
    },

    /** Returns the answer to the value of a header field; null to a stranger, or if it is old. */
    answer(question: string): string | null {
      const [, what = '', time = '', seal = ''] = /^((\d{10,16})\.[0-9a-f]{24})\.([0-9a-f]{64})$/.exec(question) ?? [];
      if (what === '' || Math.abs(now() - Number(time)) > VALID_MS) return null;
      const expected = Buffer.from(sign('question', what));
      return timingSafeEqual(expected, Buffer.from(seal)) ? sign('answer', what) : null;
    },
  };
}

/** Proves that a server belongs to an installation. */
export type Prover = ReturnType<typeof createProver>;

/** Creates what a server needs to prove that it belongs to the installation with this secret. */
export function createProof(pepper: Buffer) {
  return { path: PROOF_PATH, header: PROOF_HEADER, gapMs: GAP_MS, answer: createProver(pepper).answer };
}
