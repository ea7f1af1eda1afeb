import { type ApiKeyView, forEachLimit, type LogAction, type LogChange } from '#contract';
import { type ApiKey, newApiKey } from '../../accounts/index.ts';
import { AppError } from '../../errors.ts';
import type { Handlers } from '../handlers.ts';
import { operateOnOwn, requirePassword } from '../operate.ts';
import { reportUsage, sendLedgerCsv } from '../reports.ts';
import { showProfile, signInUser, visitorOf } from '../sign-in-user.ts';

const showKey = ({ createdAt, lastUsedAt, disabledAt, ...key }: ApiKey): ApiKeyView => ({
  ...key,
  createdAt: createdAt.toISOString(),
  lastUsedAt: lastUsedAt?.toISOString() ?? null,
  disabledAt: disabledAt?.toISOString() ?? null,
});

/** Handlers of the signed-in account: profile, browser sessions, keys and reports. */
export const ACCOUNT_ROUTES = {
  getProfile: ({ account }, services) => showProfile(account.id, services),

  /** `GET /account/visit`: browsers write each refused request to the console, so that of a visitor is not refused. */
  getVisit: async ({ ctx }, services) => {
    const presented = services.gateway.cookie.read(ctx);
    const check = await services.signIn.browserSessions.check(presented?.token, presented?.kind);
    if (check.outcome === 'unknown') return { profile: null };
    if (check.outcome !== 'valid') throw new AppError('account_suspended', 'This account is suspended');
    return { profile: await showProfile(check.account.id, services) };
  },

  /** `PATCH /account/profile`: a new address takes effect when the link sent to it is opened. */
  updateProfile: async ({ ctx, account, body }, services) => {
    await services.signIn.emailChange.request(account, body, visitorOf(ctx));
    return showProfile(account.id, services);
  },

  /** `POST /account/password`: ends all browser sessions and opens a new one. */
  changePassword: async ({ ctx, account, body }, services) => {
    await signInUser(ctx, services, (visitor) => services.signIn.passwords.change(account, body, visitor));
    ctx.status = 204;
  },

  /** `POST /account/confirm-password`: the log-in may change accounts and make keys for some minutes. */
  confirmPassword: async ({ ctx, account, body, loginId }, { signIn }) => {
    await signIn.confirmPassword(account.id, body.password, visitorOf(ctx));
    return { confirmedUntil: (await signIn.browserSessions.confirm(account.id, loginId)).toISOString() };
  },

  /** `POST /account/delete`: deletes the account and all of its data. */
  deleteAccount: async (input, services) => {
    const { ctx, account, body } = input;
    await services.signIn.confirmPassword(account.id, body.password, visitorOf(ctx));
    const { id: target, email } = account;
    // The log keeps ids of users only, but the email addresses of operators.
    const deletion = { action: 'account.delete', target, change: { email } } as const;
    await operateOnOwn(input, deletion, services, () => services.accountRemoval.remove(target));
    services.gateway.cookie.clear(ctx);
    ctx.status = 204;
  },

  listPlans: async ({ account }, { accounts }) => ({
    plans: accounts.plans.list().map((plan) => ({
      ...plan,
      rateLimit: plan.rateLimit ?? null,
      ...forEachLimit((name) => plan[name] ?? null),
    })),
    current: account.plan,
  }),

  listLogins: async ({ account, loginId }, { signIn }) => ({
    logins: await signIn.browserSessions.list(account.id, loginId),
  }),

  revokeLogin: async ({ ctx, account, params, loginId }, services) => {
    await services.signIn.browserSessions.revoke(account.id, params.loginId);
    if (params.loginId === loginId) services.gateway.cookie.clear(ctx);
    ctx.status = 204;
  },

  /** `DELETE /account/logins`: ends all but the current one. */
  revokeOtherLogins: async ({ account, loginId }, { signIn }) => ({
    revoked: await signIn.browserSessions.revokeAll(account.id, loginId),
  }),

  listKeys: async ({ account }, { accounts }) => {
    const keys = await accounts.keys.list(account.id);
    const used = keys.filter(({ active }) => active).length;
    return { keys: keys.map(showKey), limit: { used, limit: accounts.plans.get(account.plan).keys } };
  },

  /** `POST /account/keys`. Has no `Idempotency-Key`, since the stored response would contain the key. */
  createKey: async (input, services) => {
    const { account, body } = input;
    const { keys } = services.accounts;
    requirePassword(input);
    const made = newApiKey();
    const { keyId, apiKey } = made;
    const creation = { action: 'key.create', target: account.id, change: { keyId, name: body.name } } as const;
    await operateOnOwn(input, creation, services, () => keys.create({ accountId: account.id, name: body.name, made }));
    return { ...showKey(await keys.get(account.id, keyId)), apiKey };
  },

  updateKey: async (input, services) => {
    const { account, params, body } = input;
    const { keys } = services.accounts;
    const { keyId } = params;
    // Deactivating a leaked key must not wait for a password.
    if (body.active === true) requirePassword(input);
    const { name } = await keys.get(account.id, keyId);
    const change = (action: LogAction, details: LogChange, run: () => Promise<unknown>) =>
      operateOnOwn(input, { action, target: account.id, change: { keyId, name, ...details } }, services, run);
    // The change that may be refused comes first, so that a refusal changes nothing.
    if (body.active === true) await change('key.activate', {}, () => keys.activate(account.id, keyId));
    if (body.active === false) await change('key.deactivate', {}, () => keys.deactivate(account.id, keyId));
    const to = body.name;
    if (to !== undefined) await change('key.rename', { to }, () => keys.rename(account.id, keyId, to));
    return showKey(await keys.get(account.id, keyId));
  },

  deleteKey: async (input, services) => {
    const { ctx, account, params } = input;
    const { keys } = services.accounts;
    const { keyId } = params;
    const { name } = await keys.get(account.id, keyId);
    const deletion = { action: 'key.delete', target: account.id, change: { keyId, name } } as const;
    await operateOnOwn(input, deletion, services, () => keys.remove(account.id, keyId));
    ctx.status = 204;
  },

  getUsage: ({ account, query }, services) => reportUsage({ accountId: account.id, days: query.days }, services),

  listJobs: async ({ account, query }, { jobs }) => ({
    jobs: await jobs.history.recent(account.id, query.limit),
  }),

  listLedger: ({ account, query }, { accounts }) => accounts.transactions.page(account.id, query),

  exportLedger: async ({ ctx, account, query }, services) => sendLedgerCsv(ctx, account.id, query, services),
} satisfies Partial<Handlers>;
