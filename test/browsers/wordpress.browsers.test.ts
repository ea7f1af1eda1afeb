import { expect, it, onTestFinished } from 'vitest';
import { photograph, startRig } from '../wordpress/rig.ts';
import { openWebKit } from './webkit.ts';

it('in WebKit, the media list of WordPress optimizes an image and restores it', async () => {
  const { site, stop, attachment, checksums } = await startRig();
  onTestFinished(stop);
  await site.php('update_option( "imagewright_settings", array( "delivery" => "replace", "auto" => false ) );');
  const id = await (await site.logIn()).upload('hill.jpg', await photograph(600), 'image/jpeg');
  const before = await checksums();
  const tab = await openWebKit();
  onTestFinished(tab.close);
  await tab.go(`${site.url}/wp-login.php`);
  await tab.type('#user_login', 'admin');
  await tab.type('#user_pass', 'password');
  await tab.press('#wp-submit');
  await tab.until('the admin pages', async () => (await tab.count('#wpadminbar')) > 0);
  await tab.go(`${site.url}/wp-admin/upload.php?mode=list`);
  const status = `[data-imagewright-id="${id}"]`;
  const choose = async (entry: string) => {
    const isOpen = async () => (await tab.count(`${status} button`, entry)) > 0;
    await tab.until(entry, async () => (await isOpen()) || (await tab.press(`${status} summary`).then(isOpen)));
    await tab.press(`${status} button`, entry);
  };
  await choose('Optimize (1 credit)');
  await tab.until('the optimized file', async () => (await attachment(id)).mime === 'image/webp');
  await choose('Restore the original');
  await tab.until('the original file', async () => (await attachment(id)).mime === 'image/jpeg');
  expect(await checksums()).toEqual(before);
});
