import { beforeEach, expect, it } from 'vitest';
import type { Mail, Mailer } from '../../server/mail/index.ts';
import { useAccounts } from '../accounts/accounts-fixture.ts';

const fixture = useAccounts();
const VISITOR = { address: '192.0.2.1', userAgent: '' };
const DAY_SECONDS = 86_400;

beforeEach(() => {
  // The clock is set back to the real time, since the database removes expired records by the real time.
  fixture.clock.now = new Date(Date.now() + DAY_SECONDS * 1000);
});

const setClock = (seconds: number) => {
  fixture.clock.now = new Date(fixture.clock.now.getTime() + seconds * 1000);
};

/** Creates sign-in over a mail server that refuses mails on request. */
function withMailServer() {
  const state = { refuses: false };
  const sent: string[] = [];
  const mailer: Mailer = {
    sends: true,
    send: async ({ to }: Mail) => {
      if (state.refuses) throw new Error('busy');
      sent.push(to);
    },
    close() {},
  };
  return { state, sent, signIn: fixture.newSignIn({ mailer }) };
}

it('a sent mail does not suppress another one after the clock was set back', async () => {
  const { sent, signIn } = withMailServer();
  const email = 'sent@example.org';
  const ask = async () => {
    await signIn.signUp.request(email, VISITOR);
    await signIn.deliver();
  };
  await ask();
  await ask();
  expect(sent).toEqual([email]);
  setClock(-DAY_SECONDS);
  await ask();
  await ask();
  expect(sent).toEqual([email, email]);
});

it('a mail to be retried is sent soon after the clock was set back', async () => {
  const { state, sent, signIn } = withMailServer();
  const email = 'waits@example.org';
  state.refuses = true;
  await signIn.signUp.request(email, VISITOR);
  await signIn.deliver();
  state.refuses = false;
  await signIn.deliver();
  expect(sent).toEqual([]);
  setClock(-DAY_SECONDS);
  await signIn.deliver();
  expect(sent).toEqual([email]);
});
