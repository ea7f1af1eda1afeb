import { z } from 'zod';

/** Parts of an installation that are checked, in the order in which they are shown. */
export const CHECKED_PARTS = [
  'settings',
  'database',
  'store',
  'disk',
  'mail',
  'model',
  'clock',
  'address',
  'proxy',
  'streams',
  'uploads',
] as const;
export type CheckedPart = (typeof CHECKED_PARTS)[number];

/** States of a checked part. `off`: not set up, or nothing could be tried. */
export const CHECK_STATES = ['ok', 'warning', 'fault', 'off'] as const;
export type CheckState = (typeof CHECK_STATES)[number];

/** `POST /account/operator/check`, and the output of `admin check --json`. */
export const installationCheckSchema = z
  .object({
    version: z.string(),
    checkedAt: z.iso.datetime(),
    ok: z.boolean().describe('False if a check has the state `fault`.'),
    checks: z.array(
      z.object({
        part: z.enum(CHECKED_PARTS),
        state: z.enum(CHECK_STATES),
        code: z.string().describe('What came, for programs, e.g. `refused` or `other_installation`.'),
        tried: z.string().describe('What was tried. Contains no secret.'),
        found: z.string().describe('What came, in English. Contains no text of another server.'),
        remedy: z.string().nullable().describe('What to do; null if there is nothing to do.'),
      }),
    ),
  })
  .meta({ id: 'InstallationCheck' });
export type InstallationCheck = z.output<typeof installationCheckSchema>;
/** One line of a check. */
export type CheckLine = InstallationCheck['checks'][number];
