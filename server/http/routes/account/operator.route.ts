import type { AccountView } from '#contract';
import type { Account } from '../../../accounts/index.ts';
import { AppError } from '../../../errors.ts';
import { hashRequest } from '../../../gateway/index.ts';
import { defineRoute } from '../../define-route.ts';
import { runOnce } from '../../idempotency/run-once.ts';
import type { Services } from '../../services.ts';

const show = ({ updatedAt: _, pendingEmail: _own, createdAt, lastLoginAt, ...account }: Account): AccountView => ({
  ...account,
  createdAt: createdAt.toISOString(),
  lastLoginAt: lastLoginAt?.toISOString() ?? null,
});

async function requireAccount(accountId: string, { accounts }: Services): Promise<Account> {
  const account = await accounts.find(accountId);
  if (!account) throw new AppError('not_found', `No account ${accountId}`);
  return account;
}

/** `GET /account/operator/accounts`. */
export const listAccountsRoute = defineRoute('listAccounts', async ({ query }, services) => {
  const { accounts, nextCursor } = await services.accounts.search(query);
  return { accounts: accounts.map(show), nextCursor };
});

/** `POST /account/operator/accounts`. */
export const inviteAccountRoute = defineRoute('inviteAccount', async ({ body }, { accounts, signIn }) => {
  const account = await accounts.create({ email: body.email, ...(body.plan === undefined ? {} : { plan: body.plan }) });
  return { account: show(account), link: await signIn.invite(account) };
});

/** `PATCH /account/operator/accounts/:accountId`. */
export const updateAccountRoute = defineRoute('updateAccount', async ({ account, params, body }, services) => {
  const { accounts } = services;
  const { accountId } = params;
  if (accountId === account.id && (body.suspended === true || body.role === 'user')) {
    throw new AppError('own_account', 'You cannot suspend or demote your own account');
  }
  await requireAccount(accountId, services);
  // The change that may be refused comes first, so that a refusal changes nothing.
  if (body.plan !== undefined) await accounts.setPlan(accountId, body.plan);
  if (body.suspended !== undefined) await accounts.setSuspended(accountId, body.suspended);
  if (body.role !== undefined) await accounts.setRole(accountId, body.role);
  return show(await requireAccount(accountId, services));
});

/** `POST /account/operator/accounts/:accountId/credits`. */
export const grantCreditsRoute = defineRoute('grantCredits', async ({ ctx, account, params, body }, services) => {
  const { accountId } = params;
  const { amount, note } = body;
  await requireAccount(accountId, services);
  const requestHash = hashRequest(accountId, body);
  const afterFailure = 'same-work';
  await runOnce({ ctx, account, operation: 'grantCredits', requestHash, afterFailure }, services, async (workId) => {
    const ref = `grant_${workId}`;
    const { balance, applied } = await services.accounts.ledger.grant({ accountId, ref, amount, note: note ?? null });
    services.logger.info({ operator: account.id, accountId, amount, applied }, 'credits granted');
    return { status: 200, headers: {}, body: { accountId, granted: amount, balance } };
  });
});

/** `GET /account/operator/audit`. */
export const auditCreditsRoute = defineRoute('auditCredits', (_input, { accounts }) => accounts.audit());
