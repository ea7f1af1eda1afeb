import { z } from 'zod';
import { sessionIdSchema } from './ids.ts';

const EXPECTED = 'expected an origin: http or https, host and optionally a port, e.g. https://www.example.com';

/** Samples, and analyses, of a session token that says nothing of them. */
export const TOKEN_IMAGES = 10;

const images = (what: string) =>
  z
    .int()
    .min(0)
    .max(1_000_000)
    .default(TOKEN_IMAGES)
    .describe(`Most images that the token may ${what} for free; what is in the cache does not count.`);

/** Tests an origin as browsers send it: in lower case, without path and default port. */
export function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

/** Origin of web pages. */
export const originSchema = z.string({ error: EXPECTED }).max(300).refine(isOrigin, EXPECTED);

/** Body of `POST /v1/tokens`. */
export const tokenRequestSchema = z
  .object({
    origin: originSchema.describe('Origin of the pages that may use the token, e.g. `https://www.example.com`.'),
    sessionId: sessionIdSchema.optional().describe('Session of the token. Default: the token may create one session.'),
    maxCredits: z
      .int()
      .min(0)
      .max(1_000_000)
      .default(0)
      .describe('Most credits that the token may spend. Default: none, so that it is refused what costs credits.'),
    maxSamples: images('sample'),
    maxAnalyses: images('have described'),
  })
  .meta({ id: 'TokenRequest' });

/** Response of `POST /v1/tokens`. */
export const sessionTokenSchema = z
  .object({
    token: z.string().describe('Sent by the page as `X-API-Key`. Cannot be read again.'),
    expiresAt: z.iso.datetime(),
    origin: z.string(),
    sessionId: sessionIdSchema.nullable().describe('Null if the token may create a session.'),
    maxCredits: z.int(),
    maxSamples: z.int(),
    maxAnalyses: z.int(),
  })
  .meta({ id: 'SessionToken' });
export type SessionToken = z.output<typeof sessionTokenSchema>;
