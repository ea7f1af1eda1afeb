import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { SignIn, SignInDeps } from '../../server/sign-in/index.ts';
import { rejection, useAccounts } from '../accounts/accounts-fixture.ts';
import { cheapPasswords } from '../support/cheap-passwords.ts';
import { newGate } from '../support/gate.ts';
import { type MailServer, mailing, startMailServer, tokenIn } from '../support/mail-server.ts';
import { PATIENCE_MS } from '../support/patience.ts';

const fixture = useAccounts();
const PASSWORD = 'old correct horse 77';
const NEW = 'new battery staple 88';

let mail: MailServer;
let signIn: SignIn;
let logged: string[];
beforeAll(async () => {
  // The database removes expired records by the real clock.
  fixture.clock.now = new Date();
  mail = await startMailServer();
});
afterAll(() => mail.close());
beforeEach(() => {
  mail.state.mode = 'accept';
  logged = [];
  signIn = newProcess();
});
afterEach(() => signIn.close());

const newProcess = (parts: Partial<SignInDeps> = {}) => fixture.newSignIn({ ...mailing(mail, logged), ...parts });

let people = 0;
async function newPerson() {
  people += 1;
  const passwordHash = await cheapPasswords.hash(PASSWORD);
  const { id, email } = await fixture.accounts.create({ email: newAddress(), passwordHash });
  return { id, email, visitor: { address: `192.0.2.${people}`, userAgent: '' } };
}
type Person = Awaited<ReturnType<typeof newPerson>>;

const newAddress = () => `${randomUUID()}@example.org`;
const wait = (ms: number) => {
  fixture.clock.now = new Date(fixture.clock.now.getTime() + ms);
};
const request = (person: Person, email: string, through = signIn) =>
  through.emailChange.request(person, { email, password: PASSWORD });
const mailsTo = (address: string) => mail.received.filter(({ to }) => to.includes(address));
const tokenTo = (address: string, index = -1) => tokenIn(mailsTo(address).at(index)?.text ?? '');
const accountOf = ({ id }: Person) => fixture.accounts.find(id);
const linksOf = ({ id }: Person) => fixture.connection.model('OneTimeLink').countDocuments({ accountId: id });

/** Returns the token of a reset link. */
async function askForReset({ email, visitor }: Person) {
  await signIn.passwords.requestReset(email, visitor);
  await signIn.deliver();
  return tokenTo(email);
}

describe('a queued change of address', () => {
  it('is cancelled by a new password: no mail is sent and no link is valid', async () => {
    const person = await newPerson();
    const token = await askForReset(person);
    mail.state.mode = 'busy';
    const email = newAddress();
    await request(person, email);
    await vi.waitFor(() => expect(logged.join('')).toContain('could not be sent'), { timeout: PATIENCE_MS });
    await signIn.passwords.reset({ token, password: NEW }, person.visitor);
    // The server refuses this mail too; a delivery in progress would end after the clock is set.
    await signIn.deliver();
    mail.state.mode = 'accept';
    wait(60_000);
    await signIn.deliver();
    expect(mailsTo(email)).toEqual([]);
    expect(await linksOf(person)).toBe(0);
    expect(await accountOf(person)).toMatchObject({ email: person.email, pendingEmail: null });
    expect(mailsTo(person.email).at(-1)?.subject).toContain('was changed');
  });

  it('is cancelled by a new password while its link is being created', async () => {
    const person = await newPerson();
    const token = await askForReset(person);
    const { oneTimeLinks } = fixture.repositories;
    const gate = newGate();
    const insert: typeof oneTimeLinks.insert = async (link) => {
      await gate.pass();
      await oneTimeLinks.insert(link);
    };
    const slow = newProcess({ repositories: { ...fixture.repositories, oneTimeLinks: { ...oneTimeLinks, insert } } });
    const email = newAddress();
    await request(person, email, slow);
    await gate.reached;
    await signIn.passwords.reset({ token, password: NEW }, person.visitor);
    gate.open();
    await slow.deliver();
    expect(mailsTo(email)).toEqual([]);
    expect(await linksOf(person)).toBe(0);
    await slow.close();
  });

  it('is replaced by a later one', async () => {
    const person = await newPerson();
    const [typo, email] = [newAddress(), newAddress()];
    mail.state.mode = 'busy';
    await request(person, typo);
    await vi.waitFor(() => expect(logged.join('')).toContain('could not be sent'), { timeout: PATIENCE_MS });
    mail.state.mode = 'accept';
    await request(person, email);
    await signIn.deliver();
    await signIn.emailChange.confirm(tokenTo(email));
    wait(60_000);
    await signIn.deliver();
    expect(mailsTo(typo)).toEqual([]);
    expect(await accountOf(person)).toMatchObject({ email, pendingEmail: null });
  });
});

describe('the link of a change of address', () => {
  it('is valid only for the pending address', async () => {
    const person = await newPerson();
    const [typo, email] = [newAddress(), newAddress()];
    await request(person, typo);
    await signIn.deliver();
    const token = tokenTo(typo);
    expect(await signIn.readLink(token)).toMatchObject({ purpose: 'email', email: typo });
    await request(person, email);
    await signIn.deliver();
    for (const use of [signIn.readLink, signIn.emailChange.confirm]) {
      expect(await rejection(use(token))).toMatchObject({ code: 'invalid_link' });
    }
    // The account's own address cancels the change.
    await request(person, person.email);
    expect(await rejection(signIn.emailChange.confirm(tokenTo(email)))).toMatchObject({ code: 'invalid_link' });
    expect(await accountOf(person)).toMatchObject({ email: person.email, pendingEmail: null });
  });

  it('is sent again for each request', async () => {
    const person = await newPerson();
    const email = newAddress();
    for (const expected of [1, 2]) {
      await request(person, email);
      await signIn.deliver();
      expect(mailsTo(email)).toHaveLength(expected);
    }
    await signIn.emailChange.confirm(tokenTo(email, 0));
    expect(await accountOf(person)).toMatchObject({ email });
    expect(await rejection(signIn.emailChange.confirm(tokenTo(email, 1)))).toMatchObject({ code: 'invalid_link' });
  });

  it('remains valid while another account has the address, and works once it has none', async () => {
    const person = await newPerson();
    const email = newAddress();
    await request(person, email);
    await signIn.deliver();
    const { id } = await fixture.accounts.create({ email });
    expect(await rejection(signIn.emailChange.confirm(tokenTo(email)))).toMatchObject({ code: 'email_taken' });
    expect(await accountOf(person)).toMatchObject({ email: person.email, pendingEmail: email });
    await fixture.accounts.claim({ id, email }, { email: newAddress(), passwordHash: 'of a password' });
    await signIn.emailChange.confirm(tokenTo(email));
    expect(await accountOf(person)).toMatchObject({ email, pendingEmail: null });
  });
});

describe('a request for a change of address', () => {
  it('does not reveal at any time whether another account has the address', async () => {
    const [person, other] = [await newPerson(), await newPerson()];
    const seen = [];
    for (const email of [newAddress(), other.email]) {
      await request(person, email);
      const states = [await accountOf(person)];
      await signIn.deliver();
      states.push(await accountOf(person));
      wait(47 * 3_600_000);
      states.push(await accountOf(person));
      wait(2 * 3_600_000);
      states.push(await accountOf(person));
      seen.push(states.map((account) => account?.pendingEmail === email));
    }
    expect(seen[0]).toEqual([true, true, true, false]);
    expect(seen[1]).toEqual(seen[0]);
  });

  it('is refused the eleventh time in an hour, and no mail is sent', async () => {
    const person = await newPerson();
    const addresses = Array.from({ length: 11 }, newAddress);
    const last = addresses.pop() ?? '';
    for (const email of addresses) await request(person, email);
    expect(await rejection(request(person, last))).toMatchObject({ code: 'too_many_attempts' });
    expect(await fixture.connection.model('Notice').countDocuments({ email: last })).toBe(0);
    expect(await accountOf(person)).toMatchObject({ pendingEmail: addresses.at(-1) });
    // Cancelling requests no mail.
    await request(person, person.email);
    expect(await accountOf(person)).toMatchObject({ pendingEmail: null });
    wait(3_600_000);
    await request(person, last);
    await signIn.deliver();
    expect(mailsTo(last)).toHaveLength(1);
  });
});

describe('a used link', () => {
  it('does not suppress the next request', async () => {
    const person = await newPerson();
    await signIn.passwords.reset({ token: await askForReset(person), password: NEW }, person.visitor);
    const resets = () => mailsTo(person.email).filter(({ text }) => text.includes('/reset#'));
    expect(resets()).toHaveLength(1);
    const again = await askForReset(person);
    expect(resets()).toHaveLength(2);
    expect(await signIn.readLink(again)).toMatchObject({ purpose: 'reset' });
  });

  it('sets no password after the address of the account has changed', async () => {
    const person = await newPerson();
    const email = newAddress();
    const { oneTimeLinks } = fixture.repositories;
    const token = await askForReset(person);
    const [stored] = await fixture.connection.model('OneTimeLink').find({ accountId: person.id }).lean();
    await request(person, email);
    await signIn.deliver();
    await signIn.emailChange.confirm(tokenTo(email));
    // As if it had been created just after the change invalidated such links.
    await oneTimeLinks.insert(stored as never);
    const reset = signIn.passwords.reset({ token, password: NEW }, person.visitor);
    expect(await rejection(reset)).toMatchObject({ code: 'invalid_link' });
  });
});
