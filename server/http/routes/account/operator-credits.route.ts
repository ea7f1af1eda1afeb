import type { LogAction } from '#contract';
import type { EntryRequest, EntryResult } from '../../../accounts/index.ts';
import { hashRequest } from '../../../gateway/index.ts';
import { defineRoute, type RouteInput } from '../../define-route.ts';
import { runOnce } from '../../idempotency/run-once.ts';
import { sendLedgerCsv } from '../../ledger-csv.ts';
import { operate } from '../../operate.ts';
import { requireAccount } from '../../require-account.ts';
import { requirePassword } from '../../require-password.ts';
import type { Services } from '../../services.ts';

/** Direction of a transfer of credits, and how it is logged. */
interface Move {
  operation: 'grantCredits' | 'withdrawCredits';
  action: LogAction;
  /** First part of the reference. */
  prefix: string;
  /** Field of the response with the amount. */
  done: 'granted' | 'withdrawn';
  post: (request: EntryRequest) => Promise<EntryResult>;
}

/** Moves credits once per `Idempotency-Key`, with its line in the operator log. */
async function moveCredits(
  input: RouteInput<'grantCredits' | 'withdrawCredits'>,
  services: Services,
  { operation, action, prefix, done, post }: Move,
): Promise<void> {
  const { ctx, account, params, body } = input;
  const { accountId } = params;
  const { amount, note = null } = body;
  requirePassword(input);
  await requireAccount(accountId, services);
  const requestHash = hashRequest(accountId, body);
  await runOnce({ ctx, account, operation, requestHash, afterFailure: 'same-work' }, services, async (workId) => {
    const ref = `${prefix}_${workId}`;
    const { balance } = await operate(
      input,
      { action, target: accountId, change: { amount, note, ref } },
      services,
      () => post({ accountId, ref, amount, note }),
    );
    return { status: 200, headers: {}, body: { accountId, [done]: amount, balance } };
  });
}

/** `POST /account/operator/accounts/:accountId/credits`. */
export const grantCreditsRoute = defineRoute('grantCredits', (input, services) =>
  moveCredits(input, services, {
    operation: 'grantCredits',
    action: 'credits.grant',
    prefix: 'grant',
    done: 'granted',
    post: services.accounts.ledger.grant,
  }),
);

/** `POST /account/operator/accounts/:accountId/withdrawals`. */
export const withdrawCreditsRoute = defineRoute('withdrawCredits', (input, services) =>
  moveCredits(input, services, {
    operation: 'withdrawCredits',
    action: 'credits.withdraw',
    prefix: 'withdrawal',
    done: 'withdrawn',
    post: services.accounts.ledger.withdraw,
  }),
);

/** `GET /account/operator/accounts/:accountId/ledger`. */
export const listAccountLedgerRoute = defineRoute('listAccountLedger', async ({ params, query }, services) => {
  await requireAccount(params.accountId, services);
  return services.accounts.transactions.page(params.accountId, query);
});

/** `GET /account/operator/accounts/:accountId/ledger.csv`. */
export const exportAccountLedgerRoute = defineRoute('exportAccountLedger', async ({ ctx, params, query }, services) => {
  await requireAccount(params.accountId, services);
  sendLedgerCsv(ctx, params.accountId, query, services);
});
