import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { useAccounts } from '../accounts/accounts-fixture.ts';
import { type MailServer, mailing, startMailServer, tokenIn } from '../support/mail-server.ts';
import { PATIENCE_MS } from '../support/patience.ts';

const fixture = useAccounts();
// The database removes what has expired by the real clock.
beforeAll(() => {
  fixture.clock.now = new Date();
});
const VISITOR = { address: '192.0.2.1', userAgent: '' };
let mail: MailServer;
let logged: string[];
beforeAll(async () => {
  mail = await startMailServer();
});
afterAll(() => mail.close());
beforeEach(() => {
  mail.state.mode = 'accept';
  logged = [];
});

/** The ways in of a process of its own, with the real mail server. */
const newProcess = () => fixture.newSignIn(mailing(mail, logged));
const wait = (ms: number) => {
  fixture.clock.now = new Date(fixture.clock.now.getTime() + ms);
};

describe('mails', () => {
  it('that a server refuses for now are sent later, with a link that works, and nothing secret is logged', async () => {
    const signIn = newProcess();
    mail.state.mode = 'busy';
    await signIn.signUp.request('late@example.com', VISITOR);
    await vi.waitFor(() => expect(logged.join('')).toContain('could not be sent'), { timeout: PATIENCE_MS });
    expect(logged.join('')).not.toMatch(/iwl_\w{43}/);
    mail.state.mode = 'accept';
    await signIn.deliver();
    expect(mail.received).toEqual([]);
    wait(10_000);
    await signIn.deliver();
    const { text } = await mail.mailTo('late@example.com');
    expect(text).toContain('https://images.example.com/dashboard/confirm#token=');
    await signIn.signUp.confirm({ token: tokenIn(text), password: 'a long enough sentence' }, VISITOR);
    await signIn.close();
  });

  it('that were ordered before a process ended are sent by the next', async () => {
    const first = newProcess();
    mail.state.mode = 'busy';
    await first.passwords.requestReset('late@example.com', VISITOR);
    await vi.waitFor(() => expect(logged.join('')).toContain('could not be sent'), { timeout: PATIENCE_MS });
    await first.close();
    mail.state.mode = 'accept';
    wait(60_000);
    const second = newProcess();
    await second.deliver();
    const { text } = await mail.mailTo('late@example.com', ({ subject }) => subject.includes('new password'));
    expect(tokenIn(text)).toMatch(/^iwl_/);
    await second.close();
  });

  it('never hold up who orders them: a server that says nothing keeps no request waiting', async () => {
    const signIn = newProcess();
    mail.state.mode = 'mute';
    const before = mail.state.connections;
    await signIn.signUp.request('mute@example.com', VISITOR);
    await signIn.passwords.requestReset('mute@example.com', VISITOR);
    // Both were taken although the server was reached and has answered neither.
    await vi.waitFor(() => expect(mail.state.connections).toBeGreaterThan(before), { timeout: PATIENCE_MS });
    expect(mail.received.some(({ to }) => to.includes('mute@example.com'))).toBe(false);
    await signIn.close();
  });

  it('are stored without a text and without a secret', async () => {
    const signIn = newProcess();
    await signIn.signUp.request('stored@example.com', VISITOR);
    const token = tokenIn((await mail.mailTo('stored@example.com')).text);
    for (const name of ['Notice', 'OneTimeLink']) {
      const rows = JSON.stringify(await fixture.connection.model(name).find({}).lean());
      expect(rows).toContain('stored@example.com');
      expect(rows).not.toContain(token.slice(4, 24));
    }
    await signIn.close();
  });

  it('are one for each address until five minutes after it was sent', async () => {
    const signIn = newProcess();
    const count = () => mail.received.filter(({ to }) => to.includes('often@example.com')).length;
    for (const expected of [1, 1, 2]) {
      await signIn.signUp.request('often@example.com', VISITOR);
      await signIn.deliver();
      expect(count()).toBe(expected);
      wait(151_000);
    }
    await signIn.close();
  });
});
