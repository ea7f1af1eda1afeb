import type { AccountView, LogAction, LogChange } from '#contract';
import type { Account } from '../../../accounts/index.ts';
import { AppError } from '../../../errors.ts';
import { hashRequest } from '../../../gateway/index.ts';
import { newId } from '../../../ids.ts';
import { defineRoute } from '../../define-route.ts';
import { runOnce } from '../../idempotency/run-once.ts';
import { operate } from '../../operate.ts';
import { requirePassword } from '../../require-password.ts';
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
export const inviteAccountRoute = defineRoute('inviteAccount', async (input, services) => {
  const { accounts, signIn } = services;
  const { email, plan = accounts.plans.defaultName } = input.body;
  requirePassword(input);
  accounts.plans.require(plan);
  const id = newId('acct');
  const creation = { action: 'account.create', target: id, change: { plan } } as const;
  const account = await operate(input, creation, services, () => accounts.create({ id, email, plan }));
  return { account: show(account), link: await signIn.invite(account) };
});

/** `PATCH /account/operator/accounts/:accountId`. */
export const updateAccountRoute = defineRoute('updateAccount', async (input, services) => {
  const { account, params, body } = input;
  const { accounts } = services;
  const { accountId: target } = params;
  const { plan, suspended, role } = body;
  requirePassword(input);
  if (target === account.id && (suspended === true || role === 'user')) {
    throw new AppError('own_account', 'You cannot suspend or demote your own account');
  }
  const before = await requireAccount(target, services);
  // A refusal changes nothing and writes no line.
  if (plan !== undefined) accounts.plans.require(plan);
  const change = (action: LogAction, details: LogChange, run: () => Promise<unknown>) =>
    operate(input, { action, target, change: details }, services, run);
  if (plan !== undefined) {
    await change('account.plan', { from: before.plan, to: plan }, () => accounts.setPlan(target, plan));
  }
  if (suspended !== undefined) {
    const action = suspended ? 'account.suspend' : 'account.resume';
    await change(action, {}, () => accounts.setSuspended(target, suspended));
  }
  if (role !== undefined) {
    await change('account.role', { from: before.role, to: role }, () => accounts.setRole(target, role));
  }
  return show(await requireAccount(target, services));
});

/** `POST /account/operator/accounts/:accountId/credits`. */
export const grantCreditsRoute = defineRoute('grantCredits', async (input, services) => {
  const { ctx, account, params, body } = input;
  const { accountId } = params;
  const { amount, note = null } = body;
  requirePassword(input);
  await requireAccount(accountId, services);
  const requestHash = hashRequest(accountId, body);
  const afterFailure = 'same-work';
  await runOnce({ ctx, account, operation: 'grantCredits', requestHash, afterFailure }, services, async (workId) => {
    const ref = `grant_${workId}`;
    const grant = { action: 'credits.grant', target: accountId, change: { amount, note, ref } } as const;
    const { balance } = await operate(input, grant, services, () =>
      services.accounts.ledger.grant({ accountId, ref, amount, note }),
    );
    return { status: 200, headers: {}, body: { accountId, granted: amount, balance } };
  });
});

/** `GET /account/operator/audit`. */
export const auditCreditsRoute = defineRoute('auditCredits', (_input, { accounts }) => accounts.audit());
