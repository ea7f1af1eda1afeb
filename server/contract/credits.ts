import { z } from 'zod';
import { analyzeOptionsSchema } from './analysis.ts';
import { closedObject } from './closed-object.ts';
import { type DailyLimitName, forEachLimit, type PlanLimitName } from './constants/index.ts';
import { sessionIdSchema } from './ids.ts';
import { integerText } from './integer-text.ts';
import { namedEnum } from './named-enum.ts';
import { settingsSchema } from './settings.ts';

/** Operations of a credit check. */
export const OPERATIONS = ['export', 'sample', 'analyze'] as const;
export type Operation = (typeof OPERATIONS)[number];

/** Kinds of ledger entries. */
export const LEDGER_KINDS = ['signup', 'charge', 'refund', 'grant', 'withdrawal'] as const;
export type LedgerKind = (typeof LEDGER_KINDS)[number];

const dailyUseSchema = z
  .object({
    limit: z.int().min(0).describe('Images a day.'),
    used: z.int().min(0).describe('Images counted today (UTC).'),
    resetsAt: z.iso.datetime().describe('Next midnight (UTC).'),
  })
  .meta({ id: 'DailyUse' });

/** Schema of the use of a limit whose things count until they are deleted. Megabytes have decimals. */
const heldUseSchema = (used: z.ZodInt | z.ZodNumber) => z.object({ limit: z.int().min(0), used: used.min(0) });

type UseSchemas = {
  [Name in PlanLimitName]: z.ZodNullable<
    Name extends DailyLimitName ? typeof dailyUseSchema : ReturnType<typeof heldUseSchema>
  >;
};

/** Limits of an account with their use; null for what has no limit. */
export const planUseSchema = z
  .object(
    forEachLimit((_, { unit, counter, description }) =>
      (counter ? dailyUseSchema : heldUseSchema(unit === 'megabytes' ? z.number() : z.int()))
        .nullable()
        .describe(description),
    ) as UseSchemas,
  )
  .meta({ id: 'PlanUse' });
export type PlanUse = z.output<typeof planUseSchema>;

/** `GET /v1/credits/balance`. */
export const balanceSchema = z
  .object({
    balance: z.int().min(0),
    plan: z.string(),
    used: z.int().describe('Charges less refunds.'),
    granted: z.int().describe('Sign-up credits and grants, less what operators took back.'),
    keys: z.object({ used: z.int(), limit: z.int() }),
    limits: planUseSchema,
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: 'Balance' });
export type Balance = z.output<typeof balanceSchema>;

const count = z.int().min(0).max(1_000_000);

/** Body of `POST /v1/credits/check`: one of `imageCount`, `images` (a list or a number). */
export const creditCheckRequestSchema = closedObject({
  imageCount: count.optional(),
  images: z.union([z.array(z.unknown()).max(100_000), count]).optional(),
  operation: namedEnum('Operation', OPERATIONS).default('export'),
  sessionId: sessionIdSchema
    .optional()
    .describe(
      'Session of an analysis: images whose answer is known cost nothing. `images` may list ids in it; without, all of its images count.',
    ),
  options: analyzeOptionsSchema.optional().describe('Options of the analysis, with `sessionId`.'),
  settings: settingsSchema
    .optional()
    .describe('Of an export, whose body may be sent as it is: the price does not depend on them.'),
})
  .refine(({ imageCount, images, sessionId }) => (imageCount ?? images ?? sessionId) !== undefined, {
    message: 'expected imageCount (a number) or images (a list or a number), but received neither',
    path: ['imageCount'],
  })
  .meta({
    id: 'CreditCheckRequest',
    // One of them: generators leave out `not`, but make unions of other forms.
    not: {
      allOf: [
        { not: { required: ['imageCount'] } },
        { not: { required: ['images'] } },
        { not: { required: ['sessionId'] } },
      ],
    },
  });
export type CreditCheckRequest = z.output<typeof creditCheckRequestSchema>;

/** Response of `POST /v1/credits/check`. */
export const creditCheckSchema = z
  .object({
    operation: namedEnum('Operation', OPERATIONS),
    imageCount: z.int(),
    costPerImage: z.int(),
    cost: z.int().describe('Less than all images cost if the answers of some are known.'),
    balance: z.int(),
    balanceAfter: z.int().describe('Balance less cost; negative if the balance does not suffice.'),
    sufficient: z.boolean(),
    shortfall: z.int(),
  })
  .meta({ id: 'CreditCheck' });
export type CreditCheck = z.output<typeof creditCheckSchema>;

/** Work that credits were paid for, as the ledger names it. */
const chargedWorkSchema = z
  .object({
    kind: namedEnum('Operation', OPERATIONS),
    images: z.int().describe('Images of the job.'),
    format: z.string().nullable().describe('Null: no files were made, or by an older version.'),
    preset: z.string().nullable(),
  })
  .meta({ id: 'ChargedWork' });

/** One ledger entry. */
export const transactionSchema = z
  .object({
    id: z.string(),
    kind: namedEnum('LedgerKind', LEDGER_KINDS),
    delta: z.int(),
    ref: z.string().describe('Reference, e.g. a job id.'),
    note: z.string().nullable(),
    work: chargedWorkSchema.nullable().describe('What was paid for; null for other entries and while it runs.'),
    at: z.iso.datetime(),
  })
  .meta({ id: 'Transaction' });
export type Transaction = z.output<typeof transactionSchema>;

const cursorSchema = z.string().regex(/^line_[0-9A-Za-z]{25}$/, 'expected the nextCursor of an earlier page');

/** `GET /v1/credits/transactions`, newest first. */
export const transactionPageSchema = z
  .object({
    transactions: z.array(transactionSchema),
    nextCursor: cursorSchema.nullable().describe('Send it as `cursor` for the next page; null at the end.'),
  })
  .meta({ id: 'TransactionPage' });

/** Query of `GET /v1/credits/transactions`. */
export const transactionQuerySchema = z.object({
  cursor: cursorSchema.optional().describe('The nextCursor of an earlier page.'),
  limit: integerText(1, 200).default(50),
});
