import { z } from 'zod';
import { day, usageFiguresSchema } from './account-figures.ts';

const worked = usageFiguresSchema.omit({ credits: true });

/** `GET /account/operator/usage`. */
export const serviceUsageSchema = z
  .object({
    from: day,
    to: day.describe('Today, in UTC.'),
    days: z.array(worked.extend({ day })).describe('Every day, oldest first, including days without usage.'),
    total: worked.describe('Work of the period. Work of accounts that were deleted since counts too.'),
    accounts: z.object({ total: z.int(), suspended: z.int() }),
    credits: z.object({
      balance: z.int().describe('Credits that all accounts have left.'),
      used: z.int().describe('Charges less refunds of all accounts.'),
      granted: z.int().describe('Sign-up credits and grants of all accounts, less what operators took back.'),
    }),
  })
  .meta({ id: 'ServiceUsage' });
export type ServiceUsage = z.output<typeof serviceUsageSchema>;

/** States of the description service. `off`: none is set up; `unverified`: not tested yet. */
export const MODEL_STATES = ['off', 'ready', 'unverified', 'unavailable'] as const;

/** `GET /account/operator/state`. */
export const serviceStateSchema = z
  .object({
    version: z.string(),
    disk: z
      .object({ freeBytes: z.int(), totalBytes: z.int() })
      .nullable()
      .describe('Disk where this server receives uploads; null if it cannot be read.'),
    model: z.object({
      provider: z.string(),
      name: z.string().nullable(),
      state: z.enum(MODEL_STATES),
    }),
    mail: z.object({
      sends: z.boolean().describe('False: links are printed in the log of the service.'),
      waiting: z.int().describe('Emails that were not sent yet.'),
      retried: z.int().describe('Those of them that failed at least once.'),
    }),
    queue: z.object({
      waiting: z.int().describe('Images of jobs that wait, on this server.'),
      busy: z.int().describe('Workers of this server that process an image.'),
      workers: z.int().describe('Workers of this server.'),
    }),
  })
  .meta({ id: 'ServiceState' });
export type ServiceState = z.output<typeof serviceStateSchema>;
