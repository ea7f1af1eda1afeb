import type { Context } from 'koa';
import { beforeEach, describe, expect, it } from 'vitest';
import type { IdempotencyRepository, LedgerRepository } from '../../server/db/index.ts';
import { AppError } from '../../server/errors.ts';
import { createGateway, createSessionCookie } from '../../server/gateway/index.ts';
import type { Services } from '../../server/http/handlers.ts';
import { OPERATOR_ROUTES } from '../../server/http/routes/operator.ts';
import { createLogger } from '../../server/observability/index.ts';
import { useAccounts } from '../accounts/accounts-fixture.ts';

const fixture = useAccounts();
const OPERATOR = { id: 'acct_operator' };

let accountId: string;
beforeEach(async () => {
  fixture.clock.now = new Date();
  accountId = await fixture.newAccount();
});

const wait = (ms: number) => {
  fixture.clock.now = new Date(fixture.clock.now.getTime() + ms);
};

interface Faults {
  records?: Partial<IdempotencyRepository>;
  ledger?: Partial<LedgerRepository>;
}

/** Grants credits in a process whose database fails as given. @returns the answer, or the code or name of the error */
function grantIn({ records = {}, ledger = {} }: Faults = {}) {
  const { repositories } = fixture;
  const accounts = fixture.createWith({ ledger: { ...repositories.ledger, ...ledger } });
  const gateway = createGateway({
    accounts,
    idempotencyRecords: { ...repositories.idempotency, ...records },
    config: { ANALYSIS_CREDITS: 0 },
    browserSessions: fixture.signIn.browserSessions,
    shares: { check: async () => Promise.reject(new Error('no links here')) },
    cookie: createSessionCookie('secure'),
    now: () => new Date(fixture.clock.now),
    monotonicNow: () => fixture.clock.now.getTime(),
  });
  const { signIn } = fixture;
  const services = { accounts, gateway, signIn, logger: createLogger({ level: 'silent', format: 'json' }) } as Services;
  return async (key: string, amount = 1000) => {
    const ctx = { req: { headers: { 'idempotency-key': key } }, set() {} } as unknown as Context;
    const input = { ctx, account: OPERATOR, params: { accountId }, body: { amount } };
    try {
      await OPERATOR_ROUTES.grantCredits(input as never, services);
    } catch (error) {
      return error instanceof AppError ? error.code : (error as Error).message;
    }
    return ctx.body;
  };
}

const balance = async () => (await fixture.accounts.find(accountId))?.balance;
const rejectGone = async () => {
  throw new Error('gone');
};

describe('a grant with an Idempotency-Key is given once', () => {
  it.each([
    ['the answer could not be stored', () => ({ records: { complete: rejectGone } })],
    [
      'the answer was stored, and nobody heard of it',
      () => ({
        records: {
          complete: (...stored: Parameters<IdempotencyRepository['complete']>) =>
            fixture.repositories.idempotency.complete(...stored).then(rejectGone),
        },
      }),
    ],
    ['the balance had moved, but the line was not written', () => ({ ledger: { insert: rejectGone } })],
  ])('when %s', async (_, faults) => {
    expect(await grantIn(faults())('once')).toBe('gone');
    expect(await balance()).toBe(1025);
    const again = grantIn();
    for (let attempt = 0; attempt < 2; attempt += 1) {
      expect(await again('once')).toEqual({ accountId, granted: 1000, balance: 1025 });
    }
    expect(await again('once', 7)).toBe('idempotency_mismatch');
    expect(await balance()).toBe(1025);
    await fixture.accounts.ledger.settlePending({ minAgeMs: 0 });
    expect((await fixture.accounts.audit()).broken).toEqual([]);
    const { lines } = await fixture.accounts.operatorLog.page({ account: accountId, limit: 10 });
    // One line of the action; a second one tells what failed.
    expect(lines.filter(({ change }) => !('failed' in change))).toHaveLength(1);
    const { transactions } = await fixture.accounts.transactions.page(accountId);
    expect(transactions.map(({ kind, delta }) => `${kind} ${delta}`)).toEqual(['grant 1000', 'signup 25']);
    await fixture.repositories.idempotency.removeOfAccount(OPERATOR.id);
  });

  it('when the process died before it could say anything', async () => {
    const dead = grantIn({ records: { complete: rejectGone, release: rejectGone } });
    expect(await dead('dead')).toBe('gone');
    wait(180_000);
    expect(await grantIn()('dead')).toEqual({ accountId, granted: 1000, balance: 1025 });
  });

  it('but a refusal leaves the key free, and so does its time', async () => {
    const refuse = async () => {
      throw new AppError('shutting_down', 'not now');
    };
    expect(await grantIn({ ledger: { findByRef: refuse } })('free', 4)).toBe('shutting_down');
    const grant = grantIn();
    expect(await grant('free', 5)).toMatchObject({ granted: 5, balance: 30 });
    wait(24 * 3_600_000);
    expect(await grant('free', 6)).toMatchObject({ granted: 6, balance: 36 });
  });
});
