import type {
  AccountOptions,
  AccountView,
  ApiKeyView,
  LedgerFilter,
  Link,
  LinkSent,
  LogFilter,
  Login,
  LogLine,
  PastJob,
  PlanList,
  Profile,
  ServiceState,
  ServiceUsage,
  Transaction,
  Usage,
} from '#contract';
import { ApiError, ConnectionError, newIdempotencyKey } from '../../plugin-bridge/sdk/index.ts';

/** Keys of an account, and the limit of its plan. */
export interface KeyList {
  keys: ApiKeyView[];
  limit: { used: number; limit: number };
}

/** True if all balances match the ledger. */
export interface Audit {
  ok: boolean;
  broken: { rule: string; accountId: string; ref: string | null; message: string }[];
  figures: { accounts: number; lines: number; pending: number; balance: number; used: number; granted: number };
}

type Query = Record<string, string | number | undefined>;

/** Asks for the password and confirms the log-in with it; false if the user does not give it. */
type PasswordPrompt = () => Promise<boolean>;
let promptPassword: PasswordPrompt = async () => false;

/** Sets the dialog that is opened when the service asks for the password. */
export function promptPasswordWith(prompt: PasswordPrompt): void {
  promptPassword = prompt;
}

/** Sends a request; if the service asks for the password, the user is asked and the same request is sent again. */
async function call<T>(...request: Parameters<typeof send>): Promise<T> {
  try {
    return await send<T>(...request);
  } catch (error) {
    const wanted = error instanceof ApiError && error.code === 'password_required';
    if (!wanted || !(await promptPassword())) throw error;
    return send<T>(...request);
  }
}

async function send<T>(method: string, path: string, json?: unknown, headers: Record<string, string> = {}): Promise<T> {
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

const get = <T>(path: string, query: Query = {}) => call<T>('GET', withQuery(path, query));
const post = <T>(path: string, json: unknown = {}) => call<T>('POST', path, json);

/** Appends the parameters that are set to a path. */
export function withQuery(path: string, query: Query): string {
  const set = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  const search = new URLSearchParams(set.map(([name, value]) => [name, `${value}`]));
  return search.size > 0 ? `${path}?${search}` : path;
}

/**
 * Calls below `/account` for the signed-in user; the browser adds the cookie. Each throws the SDK's `ApiError` or
 * `ConnectionError`.
 */
export const accountClient = {
  options: () => get<AccountOptions>('/account/options'),
  signUp: (email: string) => post<LinkSent>('/account/sign-up', { email }),
  confirmSignUp: (token: string, password: string) => post<Profile>('/account/sign-up/confirm', { token, password }),
  logIn: (email: string, password: string) => post<Profile>('/account/log-in', { email, password }),
  logOut: () => call<void>('POST', '/account/log-out'),
  requestReset: (email: string) => post<LinkSent>('/account/password-reset', { email }),
  resetPassword: (token: string, password: string) =>
    post<Profile>('/account/password-reset/confirm', { token, password }),
  claim: (token: string, password: string, email?: string) =>
    post<Profile>('/account/claim', { token, password, ...(email ? { email } : {}) }),
  readLink: (token: string) => post<Link>('/account/link', { token }),
  confirmEmail: (token: string) => post<{ email: string }>('/account/email/confirm', { token }),

  /** The account that is logged in; null for a visitor. */
  visit: () => get<{ profile: Profile | null }>('/account/visit'),
  profile: () => get<Profile>('/account/profile'),
  changeEmail: (email: string, password: string) => call<Profile>('PATCH', '/account/profile', { email, password }),
  changePassword: (currentPassword: string, newPassword: string) =>
    post<void>('/account/password', { currentPassword, newPassword }),
  confirmPassword: (password: string) => post<{ confirmedUntil: string }>('/account/confirm-password', { password }),
  deleteAccount: (password: string) => post<void>('/account/delete', { password }),
  logins: () => get<{ logins: Login[] }>('/account/logins'),
  revokeLogin: (id: string) => call<void>('DELETE', `/account/logins/${id}`),
  revokeOtherLogins: () => call<{ revoked: number }>('DELETE', '/account/logins'),

  keys: () => get<KeyList>('/account/keys'),
  createKey: (name: string) => post<ApiKeyView & { apiKey: string }>('/account/keys', { name }),
  updateKey: (id: string, patch: { name?: string; active?: boolean }) =>
    call<ApiKeyView>('PATCH', `/account/keys/${id}`, patch),
  deleteKey: (id: string) => call<void>('DELETE', `/account/keys/${id}`),

  usage: (days: number) => get<Usage>('/account/usage', { days }),
  jobs: (limit = 8) => get<{ jobs: PastJob[] }>('/account/jobs', { limit }),
  ledger: (path: string, query: LedgerFilter & { cursor?: string; limit?: number }) =>
    get<{ transactions: Transaction[]; nextCursor: string | null }>(path, query),
  plans: () => get<PlanList>('/account/plans'),

  accounts: (query: { search?: string; cursor?: string }) =>
    get<{ accounts: AccountView[]; nextCursor: string | null }>('/account/operator/accounts', query),
  invite: (email: string, plan?: string) =>
    post<{ account: AccountView; link: string | null }>('/account/operator/accounts', { email, plan }),
  updateAccount: (id: string, patch: { plan?: string; suspended?: boolean; role?: 'user' | 'operator' }) =>
    call<AccountView>('PATCH', `/account/operator/accounts/${id}`, patch),
  /** Grants credits. Each call has its own idempotency key, so that a repeated request grants only once. */
  grant: (id: string, grant: { amount: number; note?: string }) =>
    call<{ balance: number }>('POST', `/account/operator/accounts/${id}/credits`, grant, {
      'Idempotency-Key': newIdempotencyKey(),
    }),
  /** Takes credits back, once like {@link grant}. */
  withdraw: (id: string, withdrawal: { amount: number; note?: string }) =>
    call<{ balance: number }>('POST', `/account/operator/accounts/${id}/withdrawals`, withdrawal, {
      'Idempotency-Key': newIdempotencyKey(),
    }),
  newLink: (id: string) => post<{ link: string | null }>(`/account/operator/accounts/${id}/link`),
  removeAccount: (id: string) => call<void>('DELETE', `/account/operator/accounts/${id}`),
  serviceUsage: (days: number) => get<ServiceUsage>('/account/operator/usage', { days }),
  serviceState: () => get<ServiceState>('/account/operator/state'),
  operatorLog: (query: LogFilter & { cursor?: string; limit?: number }) =>
    get<{ lines: LogLine[]; nextCursor: string | null }>('/account/operator/log', query),
  audit: () => get<Audit>('/account/operator/audit'),
};
