import { beforeAll, describe, expect, it } from 'vitest';
import type { Tab } from '../support/browser.ts';
import { type DashboardRig, openDashboardRig, PASSWORD, REFUSED } from './dashboard-rig.ts';

let rig: DashboardRig;
beforeAll(async () => {
  rig = await openDashboardRig();
});

const statusOf = async (apiKey: string) =>
  (await fetch(`${rig.test.url}/v1/credits/balance`, { headers: { 'X-API-Key': apiKey } })).status;

/** Makes a key and returns it. */
async function generate({ page }: Tab, name: string): Promise<string> {
  await page.getByRole('button', { name: 'Generate New Key' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill(name);
  await page.locator('dash-dialog').getByRole('button', { name: 'Generate New Key' }).click();
  const key = await page.getByRole('textbox', { name: 'Your new key' }).inputValue();
  return key;
}

describe('Settings > API Keys', () => {
  it('shows a new key once, says so, copies it; a reload shows its last four characters alone', async () => {
    const person = await rig.enter({ context: { permissions: ['clipboard-read', 'clipboard-write'] } });
    const { page } = person;
    await page.goto(rig.at('settings/keys'));
    const key = await generate(person, 'Website');
    expect(key).toMatch(/^iw_\w{30,}$/);
    await page.getByText('It will not be shown again').waitFor();
    // A key that is lost by a slip of the finger is a nuisance.
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByText('Copied.').waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(key);
    await page.getByRole('button', { name: 'I have saved it' }).click();
    await page.getByRole('button', { name: 'Rename Website' }).waitFor();
    expect(await pageText(person)).not.toContain(key);
    await page.reload();
    await page.getByRole('button', { name: 'Rename Website' }).waitFor();
    const text = await pageText(person);
    expect(text).not.toContain(key);
    expect(text).toContain(key.slice(-4));
    person.expectQuiet([REFUSED]);
  });

  it('at the limit of the plan the button does nothing and says why; a deactivated key makes room and is refused at once', async () => {
    const person = await rig.enter();
    const { page } = person;
    await page.goto(rig.at('settings/keys'));
    const key = await generate(person, 'Website');
    await page.getByRole('button', { name: 'I have saved it' }).click();
    const button = page.getByRole('button', { name: 'Generate New Key' });
    await expect.poll(() => button.getAttribute('aria-disabled')).toBe('true');
    const reason = 'Your plan (free) allows one active key. Deactivate or delete it to generate another.';
    await page.getByText(reason).waitFor();
    await page.getByRole('button', { name: 'Generate New Key', description: reason }).click({ force: true });
    expect(await page.locator('dash-dialog').count()).toBe(0);

    expect(await statusOf(key)).toBe(200);
    await page.getByRole('button', { name: 'Deactivate Website' }).click();
    await page.getByText('Website is deactivated. Requests with it are refused.').waitFor();
    expect(await statusOf(key)).toBe(403);

    const second = await generate(person, 'Shop');
    await page.getByRole('button', { name: 'I have saved it' }).click();
    expect(await statusOf(second)).toBe(200);
    // No room for the first one now.
    const activate = page.getByRole('button', { name: 'Activate Website' });
    await expect.poll(() => activate.getAttribute('aria-disabled')).toBe('true');
    await page.getByRole('button', { name: 'Delete Shop' }).click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText('Shop is deleted.').waitFor();
    expect(await statusOf(second)).toBe(401);
    await activate.click();
    await page.getByText('Website is active.').waitFor();
    expect(await statusOf(key)).toBe(200);
    person.expectQuiet([REFUSED]);
  });

  it('a limit that was reached elsewhere is told in the window; names are checked at their field', async () => {
    const person = await rig.enter();
    const { page } = person;
    await page.goto(rig.at('settings/keys'));
    await page.getByRole('button', { name: 'Generate New Key' }).click();
    const field = page.getByRole('textbox', { name: 'Name' });
    await page.locator('dash-dialog').getByRole('button', { name: 'Generate New Key' }).click();
    await expect.poll(() => field.getAttribute('aria-invalid')).toBe('true');
    await rig.test.service.accounts.keys.create({ accountId: person.accountId, name: 'elsewhere' });
    await field.fill('Website');
    await page.keyboard.press('Enter');
    await page.locator('dash-dialog').getByRole('alert').getByText(/plan/i).waitFor();
    person.expectQuiet([REFUSED]);
  });

  it('renames, and puts the focus back', async () => {
    const person = await rig.enter({ plan: 'agency' });
    const { page } = person;
    await page.goto(rig.at('settings/keys'));
    await generate(person, 'Website');
    await page.getByRole('button', { name: 'I have saved it' }).click();
    await page.getByRole('button', { name: 'Rename Website' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Gazette');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Gazette' }).waitFor();
    await expect.poll(() => page.evaluate(() => document.activeElement?.localName)).toBe('dash-app');
    person.expectQuiet([REFUSED]);
  });
});

/** All that the page says, shadow roots and values of fields included. */
function pageText({ page }: Tab): Promise<string> {
  return page.evaluate(() => {
    const read = (root: ParentNode): string =>
      [...root.querySelectorAll('*')]
        .map(
          (element) =>
            `${(element as HTMLInputElement).value ?? ''} ${element.shadowRoot ? read(element.shadowRoot) : ''}`,
        )
        .join(' ') + (root.textContent ?? '');
    return read(document);
  });
}

it('after a new password the keys are listed, with the offer to delete each', async () => {
  const person = await rig.enter();
  const { page } = person;
  const { keys } = rig.test.service.accounts;
  const { apiKey } = await keys.create({ accountId: person.accountId, name: 'Planted' });
  await page.goto(rig.at('settings/account'));
  const form = page.getByRole('form', { name: 'Change password' });
  await form.getByLabel('Current password').fill(PASSWORD);
  await form.getByLabel('New password').fill('another row of words');
  await page.keyboard.press('Enter');
  await page.getByText('Your password is new, but these keys still work').waitFor();
  await page.getByRole('button', { name: 'Delete Planted' }).click();
  await page.locator('dash-dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('Planted is deleted.').waitFor();
  expect(await statusOf(apiKey)).toBe(401);
  person.expectQuiet([REFUSED]);
});
