import { Readable } from 'node:stream';
import type { Context } from 'koa';
import type { AccountView, LogAction, LogChange, LogFilter } from '#contract';
import {
  type Account,
  type EntryRequest,
  type EntryResult,
  formatLogLine,
  type LogFormat,
  logHeader,
  logLineIdOf,
} from '../../accounts/index.ts';
import { AppError } from '../../errors.ts';
import { hashRequest } from '../../gateway/index.ts';
import { newId } from '../../ids.ts';
import type { Handlers, RouteInput, Services } from '../handlers.ts';
import { operate, requireAccount, requireOther, requirePassword } from '../operate.ts';
import { reportServiceUsage, sendLedgerCsv } from '../reports.ts';
import { runOnce } from '../run-once.ts';

const showAccount = ({
  updatedAt: _,
  pendingEmail: _own,
  createdAt,
  lastLoginAt,
  ...account
}: Account): AccountView => ({
  ...account,
  createdAt: createdAt.toISOString(),
  lastLoginAt: lastLoginAt?.toISOString() ?? null,
});

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

const LOG_TYPES = { csv: 'text/csv; charset=utf-8; header=present', jsonl: 'application/x-ndjson; charset=utf-8' };

/** Handlers of operators: accounts, credits, the log and the service. */
export const OPERATOR_ROUTES = {
  listAccounts: async ({ query }, services) => {
    const { accounts, nextCursor } = await services.accounts.search(query);
    return { accounts: accounts.map(showAccount), nextCursor };
  },

  inviteAccount: async (input, services) => {
    const { accounts, signIn } = services;
    const { email, plan = accounts.plans.defaultName } = input.body;
    requirePassword(input);
    accounts.plans.require(plan);
    const id = newId('acct');
    const creation = { action: 'account.create', target: id, change: { plan } } as const;
    const account = await operate(input, creation, services, () => accounts.create({ id, email, plan }));
    return { account: showAccount(account), link: await signIn.invite(account) };
  },

  updateAccount: async (input, services) => {
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
    return showAccount(await requireAccount(target, services));
  },

  /** `POST /account/operator/accounts/:accountId/link`: a link of its own account would only help a thief of the cookie. */
  createAccountLink: async (input, services) => {
    const { account, params } = input;
    requirePassword(input);
    requireOther(account.id, params.accountId);
    const target = await requireAccount(params.accountId, services);
    if (target.suspended) throw new AppError('account_suspended', 'The account is suspended: resume it first');
    const action = { action: 'account.link', target: target.id, change: {} } as const;
    return { link: await operate(input, action, services, () => services.signIn.newLink(target)) };
  },

  removeAccount: async (input, services) => {
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
  },

  auditCredits: (_input, { accounts }) => accounts.audit(),

  grantCredits: (input, services) =>
    moveCredits(input, services, {
      operation: 'grantCredits',
      action: 'credits.grant',
      prefix: 'grant',
      done: 'granted',
      post: services.accounts.ledger.grant,
    }),

  withdrawCredits: (input, services) =>
    moveCredits(input, services, {
      operation: 'withdrawCredits',
      action: 'credits.withdraw',
      prefix: 'withdrawal',
      done: 'withdrawn',
      post: services.accounts.ledger.withdraw,
    }),

  listAccountLedger: async ({ params, query }, services) => {
    await requireAccount(params.accountId, services);
    return services.accounts.transactions.page(params.accountId, query);
  },

  exportAccountLedger: async ({ ctx, params, query }, services) => {
    await requireAccount(params.accountId, services);
    sendLedgerCsv(ctx, params.accountId, query, services);
  },

  getServiceUsage: ({ query }, services) => reportServiceUsage(query, services),

  getServiceState: async (_input, { describeState, signIn }) => {
    const [state, mail] = await Promise.all([describeState(), signIn.mailState()]);
    return { ...state, mail };
  },

  checkInstallation: async ({ ctx }, { checkInstallation }) => {
    const length = Number(ctx.get('Content-Length') || 0);
    if (length > 0 || ctx.get('Transfer-Encoding') !== '')
      throw new AppError('invalid_request', 'body: expected none, since the check has no parameters');
    return checkInstallation();
  },

  listOperatorLog: ({ query }, { accounts }) => accounts.operatorLog.page(query),

  exportOperatorLog: async ({ ctx, query }, services) => sendLog(ctx, 'csv', query, services),

  exportOperatorLogLines: async ({ ctx, query }, services) => sendLog(ctx, 'jsonl', query, services),
} satisfies Partial<Handlers>;

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
  await runOnce({ ctx, account, operation, requestHash, afterFailure: 'same-work' }, services, async (work) => {
    const ref = `${prefix}_${work.id}`;
    const { balance } = await operate(
      input,
      { lineId: logLineIdOf(work), action, target: accountId, change: { amount, note, ref } },
      services,
      () => post({ accountId, ref, amount, note }),
    );
    return { status: 200, headers: {}, body: { accountId, [done]: amount, balance } };
  });
}

/** Streams the log, so that a long one needs no memory. */
function sendLog(ctx: Context, format: LogFormat, filter: LogFilter, { accounts }: Services): void {
  ctx.set({
    'Content-Type': LOG_TYPES[format],
    'Content-Disposition': `attachment; filename="imagewright-operator-log-${new Date().toISOString().slice(0, 10)}.${format}"`,
    'X-Content-Type-Options': 'nosniff',
  });
  ctx.status = 200;
  ctx.body = Readable.from(linesOf(format, accounts.operatorLog.all(filter)));
}

async function* linesOf(format: LogFormat, lines: AsyncIterable<Parameters<typeof formatLogLine>[1]>) {
  const header = logHeader(format);
  if (header) yield header;
  for await (const line of lines) yield formatLogLine(format, line);
}
