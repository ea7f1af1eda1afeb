import type { CallInput, CallName, Calls, LedgerFilter, LogFilter, Profile } from '#contract';
import {
  ApiError,
  addressOf,
  type CallPlace,
  ConnectionError,
  newIdempotencyKey,
} from '../../plugin-bridge/sdk/index.ts';

/** Keys of an account, and the limit of its plan. */
export type KeyList = Calls['GET /account/keys']['answer'];

/** True if all balances match the ledger. */
export type Audit = Calls['GET /account/operator/audit']['answer'];

/** Asks for the password and confirms the log-in with it; false if the user does not give it. */
type PasswordPrompt = () => Promise<boolean>;
let promptPassword: PasswordPrompt = async () => false;

/** Sets the dialog that is opened when the service asks for the password. */
export function promptPasswordWith(prompt: PasswordPrompt): void {
  promptPassword = prompt;
}

/** Calls an endpoint; if the service asks for the password, the user is asked and the same request is sent again. */
async function call<Name extends CallName>(
  name: Name,
  input = {} as CallInput<Name>,
  headers: Record<string, string> = {},
): Promise<Calls[Name]['answer']> {
  try {
    return await send(name, input, headers);
  } catch (error) {
    const wanted = error instanceof ApiError && error.code === 'password_required';
    if (!wanted || !(await promptPassword())) throw error;
    return send(name, input, headers);
  }
}

/** Idempotency keys of requests without an answer, by their content. */
const unanswered = new Map<string, string>();

/** Calls an endpoint that is not to work twice: the same request has the same idempotency key until it is answered. */
async function callOnce<Name extends CallName>(name: Name, input: CallInput<Name>): Promise<Calls[Name]['answer']> {
  const request = JSON.stringify([name, input]);
  const key = unanswered.get(request) ?? newIdempotencyKey();
  unanswered.set(request, key);
  try {
    const answer = await call(name, input, { 'Idempotency-Key': key });
    unanswered.delete(request);
    return answer;
  } catch (error) {
    // A gateway answers with 502 or 504 for a service that may have worked, and the service itself while it works.
    const isRefused = error instanceof ApiError && error.status < 500 && error.code !== 'idempotency_in_progress';
    if (isRefused) unanswered.delete(request);
    throw error;
  }
}

async function send<T>(
  name: string,
  input: CallPlace & { body?: unknown },
  headers: Record<string, string>,
): Promise<T> {
  const { method, path } = addressOf(name, input);
  const { body: json } = input;
  let response: Response;
  try {
    response = await fetch(path, {
      method,
      headers: json === undefined ? headers : { ...headers, 'Content-Type': 'application/json' },
      body: json === undefined ? null : JSON.stringify(json),
    });
  } catch (error) {
    throw new ConnectionError('network', error);
  }
  const body: unknown = response.status === 204 ? undefined : await response.json().catch(() => undefined);
  if (response.ok) return body as T;
  const { error = `The service answered ${response.status}`, ...details } = (body ?? {}) as Record<string, unknown>;
  throw new ApiError(`${error}`, response.status, details, response.headers);
}

/** Uses a one-time link, and once more where only the cookie that the service wants back had expired. */
async function useLink(spend: () => Promise<Profile>): Promise<Profile> {
  const wantsAgain = (error: unknown) => error instanceof ApiError && error.code === 'cookie_refused';
  return requireKept(spend().catch((error) => (wantsAgain(error) ? spend() : Promise.reject(error))));
}

/** Checks that the browser has kept the cookie of a log-in. @throws ApiError cookie_refused */
async function requireKept(loggingIn: Promise<Profile>): Promise<Profile> {
  const profile = await loggingIn;
  const { profile: kept } = await call('GET /account/visit');
  if (kept) return profile;
  throw new ApiError('The browser kept no cookie', 403, { code: 'cookie_refused' });
}

/** Returns the path of a GET with the parameters that are set. */
export function withQuery(path: string, query: Record<string, string | undefined>): string {
  return addressOf(`GET ${path}`, { query }).path;
}

/**
 * Calls below `/account` for the signed-in user; the browser adds the cookie. Each throws the SDK's `ApiError` or
 * `ConnectionError`.
 */
export const accountClient = {
  options: () => call('GET /account/options'),
  signUp: (email: string) => call('POST /account/sign-up', { body: { email } }),
  confirmSignUp: (token: string, password: string) =>
    useLink(() => call('POST /account/sign-up/confirm', { body: { token, password } })),
  logIn: (email: string, password: string) => requireKept(call('POST /account/log-in', { body: { email, password } })),
  logOut: () => call('POST /account/log-out'),
  requestReset: (email: string) => call('POST /account/password-reset', { body: { email } }),
  resetPassword: (token: string, password: string) =>
    useLink(() => call('POST /account/password-reset/confirm', { body: { token, password } })),
  claim: (token: string, password: string, email?: string) =>
    useLink(() => call('POST /account/claim', { body: { token, password, ...(email ? { email } : {}) } })),
  readLink: (token: string) => call('POST /account/link', { body: { token } }),
  confirmEmail: (token: string) => call('POST /account/email/confirm', { body: { token } }),

  /** The account that is logged in; null for a visitor. */
  visit: () => call('GET /account/visit'),
  profile: () => call('GET /account/profile'),
  changeEmail: (email: string, password: string) => call('PATCH /account/profile', { body: { email, password } }),
  changePassword: (currentPassword: string, newPassword: string) =>
    call('POST /account/password', { body: { currentPassword, newPassword } }),
  confirmPassword: (password: string) => call('POST /account/confirm-password', { body: { password } }),
  deleteAccount: (password: string) => call('POST /account/delete', { body: { password } }),
  logins: () => call('GET /account/logins'),
  revokeLogin: (loginId: string) => call('DELETE /account/logins/:loginId', { loginId }),
  revokeOtherLogins: () => call('DELETE /account/logins'),

  keys: () => call('GET /account/keys'),
  createKey: (name: string) => call('POST /account/keys', { body: { name } }),
  updateKey: (keyId: string, body: { name?: string; active?: boolean }) =>
    call('PATCH /account/keys/:keyId', { keyId, body }),
  deleteKey: (keyId: string) => call('DELETE /account/keys/:keyId', { keyId }),

  usage: (days: number) => call('GET /account/usage', { query: { days } }),
  jobs: (limit = 8) => call('GET /account/jobs', { query: { limit } }),
  /** @param path that of the own ledger, or of another account's for operators */
  ledger: (path: string, query: LedgerFilter & { cursor?: string; limit?: number }) =>
    call(`GET ${path}` as 'GET /account/ledger', { query }),
  plans: () => call('GET /account/plans'),

  accounts: (query: { search?: string; cursor?: string }) => call('GET /account/operator/accounts', { query }),
  invite: (email: string, plan?: string) => call('POST /account/operator/accounts', { body: { email, plan } }),
  updateAccount: (accountId: string, body: { plan?: string; suspended?: boolean; role?: 'user' | 'operator' }) =>
    call('PATCH /account/operator/accounts/:accountId', { accountId, body }),
  /** Grants credits. A request that is repeated because its answer was lost grants only once. */
  grant: (accountId: string, body: { amount: number; note?: string }) =>
    callOnce('POST /account/operator/accounts/:accountId/credits', { accountId, body }),
  /** Takes credits back, once like {@link grant}. */
  withdraw: (accountId: string, body: { amount: number; note?: string }) =>
    callOnce('POST /account/operator/accounts/:accountId/withdrawals', { accountId, body }),
  newLink: (accountId: string) => call('POST /account/operator/accounts/:accountId/link', { accountId }),
  removeAccount: (accountId: string) => call('DELETE /account/operator/accounts/:accountId', { accountId }),
  serviceUsage: (days: number) => call('GET /account/operator/usage', { query: { days } }),
  checkInstallation: () => call('POST /account/operator/check'),
  serviceState: () => call('GET /account/operator/state'),
  operatorLog: (query: LogFilter & { cursor?: string; limit?: number }) => call('GET /account/operator/log', { query }),
  audit: () => call('GET /account/operator/audit'),
};
