import type { AccountView, LogAction, LogChange } from '#contract';
import type { Account } from '../../../accounts/index.ts';
import { AppError } from '../../../errors.ts';
import { newId } from '../../../ids.ts';
import { defineRoute } from '../../define-route.ts';
import { operate } from '../../operate.ts';
import { requireAccount, requireOther } from '../../require-account.ts';
import { requirePassword } from '../../require-password.ts';

const show = ({ updatedAt: _, pendingEmail: _own, createdAt, lastLoginAt, ...account }: Account): AccountView => ({
  ...account,
  createdAt: createdAt.toISOString(),
  lastLoginAt: lastLoginAt?.toISOString() ?? null,
});

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
  if (suspended === true || role === 'user') requireOther(account.id, target);
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

/** `POST /account/operator/accounts/:accountId/link`: a link of its own account would only help a thief of the cookie. */
export const createAccountLinkRoute = defineRoute('createAccountLink', async (input, services) => {
  const { account, params } = input;
  requirePassword(input);
  requireOther(account.id, params.accountId);
  const target = await requireAccount(params.accountId, services);
  if (target.suspended) throw new AppError('account_suspended', 'The account is suspended: resume it first');
  const action = { action: 'account.link', target: target.id, change: {} } as const;
  return { link: await operate(input, action, services, () => services.signIn.newLink(target)) };
});

/** `DELETE /account/operator/accounts/:accountId`. */
export const removeAccountRoute = defineRoute('removeAccount', async (input, services) => {
  const { ctx, account, params } = input;
  requirePassword(input);
  requireOther(account.id, params.accountId);
  const { id: target, email, role, balance } = await requireAccount(params.accountId, services);
  // The log keeps ids of users only, but the email addresses of operators.
  const change = { balance, ...(role === 'operator' && { email }) };
  await operate(input, { action: 'account.delete', target, change }, services, () =>
    services.accountRemoval.remove(target),
  );
  ctx.status = 204;
});

/** `GET /account/operator/audit`. */
export const auditCreditsRoute = defineRoute('auditCredits', (_input, { accounts }) => accounts.audit());
