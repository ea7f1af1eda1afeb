import { z } from 'zod';

/** Prefixes of ids; each is followed by `_` and 22 base62 characters (128 random bits). */
export const ID_PREFIXES = ['sess', 'img', 'job', 'share', 'acct', 'key', 'login', 'req'] as const;
export type IdPrefix = (typeof ID_PREFIXES)[number];

const idSchema = (prefix: IdPrefix, what: string) =>
  z
    .string()
    .regex(new RegExp(`^${prefix}_[0-9A-Za-z]{22}$`), `expected an id of the form ${prefix}_ + 22 letters or digits`)
    .describe(what);

export const sessionIdSchema = idSchema('sess', 'Session id from the upload step.');
export const imageIdSchema = idSchema('img', 'Image id from the upload response.');
export const jobIdSchema = idSchema('job', 'Job id, from the `X-Job-Id` header or an event.');
export const shareIdSchema = idSchema('share', 'Id of a link to a session; not the link.');
export const accountIdSchema = idSchema('acct', 'Account id.');
export const keyIdSchema = idSchema('key', 'Id of an API key; not the key.');
export const loginIdSchema = idSchema('login', 'Id of a log-in.');
export const requestIdSchema = z.string().describe('Id of the request, also in the `X-Request-Id` header.');

/** A session id, or `{sessionId}-sample` for the files of a sample export. */
export const namespaceSchema = z
  .string()
  .regex(/^sess_[0-9A-Za-z]{22}(-sample)?$/, 'expected a session id, or a session id followed by -sample')
  .describe('Session id, or `{sessionId}-sample` for sample files.');
