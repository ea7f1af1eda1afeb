import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts';
import type { SiteUser } from './site/site-user.ts';
import { createEditor, service } from './through-proxy.ts';
import { useRig } from './use-rig.ts';

const { rig, admin } = useRig();
let editor: SiteUser;

beforeAll(async () => {
  editor = await createEditor(rig);
});

/** Stores address and key in the same way as the form. */
const typedInto = (url: string, key: string) =>
  rig.site.php(
    'update_option( "imagewright_settings", array( "url" => $url ) ); update_option( "imagewright_api_key", $key );',
    { url, key },
  );

it('refuses a new address without encryption, except on private hosts, and warns of a stored one', async () => {
  const save = (url: string) =>
    rig.site.php<string>(
      'require_once ABSPATH . "wp-admin/includes/template.php"; imagewright()->get( Imagewright_Settings_Page::class )->settings(); update_option( "imagewright_settings", array( "url" => $url ) ); return imagewright()->get( Imagewright_Options::class )->all()["url"];',
      { url },
    );
  const before = await save('https://one.example');
  for (const host of ['two.example', '8.8.8.8', '134744072', '[::ffff:8.8.8.8]', 'local.example']) {
    expect(await save(`http://${host}`)).toBe(before);
  }
  const open = [
    'localhost:8080',
    '127.0.0.1:8080',
    '[::1]',
    '10.1.2.3',
    'imagewright',
    'a.local',
    'a.test',
    'a.internal',
  ];
  for (const host of open) expect(await save(`http://${host}`)).toBe(`http://${host}`);
  await rig.site.php(
    'add_filter( "imagewright_allow_http", "__return_true" ); require_once ABSPATH . "wp-admin/includes/template.php"; imagewright()->get( Imagewright_Settings_Page::class )->settings(); update_option( "imagewright_settings", array( "url" => "http://two.example" ) );',
  );
  await rig.site.define({});
  expect(await save('http://two.example/')).toBe('http://two.example');
  const headers = { Cookie: admin.cookie };
  const page = await fetch(`${rig.site.url}/wp-admin/options-general.php?page=imagewright`, { headers });
  expect(await page.text()).toContain('sends the API key and the images unencrypted');
});

describe('permissions', () => {
  it('prefer the key of a constant, and no response or page contains a key', async () => {
    await rig.site.php('update_option( "imagewright_api_key", $key );', { key: `iw_${'1'.repeat(36)}` });
    expect((await editor.call('GET', '/status')).status).toBe(200);
    const pages = [
      'upload.php?page=imagewright-optimize',
      'options-general.php?page=imagewright',
      'upload.php?mode=list',
    ];
    for (const page of pages) {
      const html = await (
        await fetch(`${rig.site.url}/wp-admin/${page}`, { headers: { Cookie: admin.cookie } })
      ).text();
      expect(html).toContain('</html>');
      expect(html).not.toContain(rig.account.apiKey);
      expect(html).not.toContain('iw_111');
    }
    const options = await fetch(`${rig.site.url}/wp-json/wp/v2/settings`, {
      headers: { Cookie: admin.cookie, 'X-WP-Nonce': admin.nonce },
    });
    expect(await options.text()).not.toMatch(/iw_|imagewright/);
  });

  it('refuse private addresses from the form', async () => {
    await rig.site.define({});
    await typedInto(rig.service.url, rig.account.apiKey);
    const answer = await admin.call('POST', '/connection', {});
    expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([
      424,
      'imagewright_address_refused',
    ]);
  });
});

describe('the key, after a new address was entered in the form', () => {
  let other: FaultProxy;
  beforeAll(async () => {
    other = await startFaultProxy(rig.service.url);
  });
  afterAll(() => other?.close());
  const openPort = () => ({ IMAGEWRIGHT_TEST_OPEN_PORT: Number(new URL(other.url).port) });
  const keysSeen = () => other.seen.map(({ headers }) => headers['x-api-key']);

  it('is sent there only if it was entered in the form too, never from the server configuration', async () => {
    const { apiKey } = rig.account;
    await rig.site.define(openPort());
    await typedInto(other.url, apiKey);
    expect((await admin.call('POST', '/connection', {})).status).toBe(200);
    expect(keysSeen()).toEqual([apiKey]);

    other.reset();
    await rig.site.define({ ...openPort(), IMAGEWRIGHT_API_KEY: apiKey });
    const refused = await admin.call('POST', '/connection', {});
    const said = { code: 'imagewright_not_configured', message: expect.stringContaining('define IMAGEWRIGHT_URL') };
    expect([refused.status, await refused.json()]).toMatchObject([424, said]);
    expect((await editor.call('GET', service('/credits/balance'))).status).toBe(424);
    expect(keysSeen()).toEqual([]);

    // The address from the server configuration overrides the form.
    await rig.define({});
    expect((await admin.call('POST', '/connection', {})).status).toBe(200);
    expect(keysSeen()).toEqual([]);
  });

  it('is removed from the settings if the host changes without a new key', async () => {
    const page = `${rig.site.url}/wp-admin/options-general.php?page=imagewright`;
    const headers = { Cookie: admin.cookie };
    const save = async (url: string, key: string) => {
      const html = await (await fetch(page, { headers })).text();
      const nonce = /name="_wpnonce" value="(\w+)"/.exec(html)?.[1] ?? '';
      const form = { option_page: 'imagewright', action: 'update', _wpnonce: nonce, imagewright_api_key: key };
      const body = new URLSearchParams({ ...form, 'imagewright_settings[url]': url });
      const saved = await fetch(`${rig.site.url}/wp-admin/options.php`, { method: 'POST', headers, body });
      const stored = await rig.site.php<string[]>(
        'return array( imagewright()->get( Imagewright_Options::class )->all()["url"], get_option( "imagewright_api_key" ) );',
      );
      const text = await saved.text();
      // WordPress opens no address in the server's own network that comes from a form, nor one of an unknown host.
      expect([text.includes('WordPress does not allow this address'), text.includes('Settings saved.')]).toEqual([
        true,
        false,
      ]);
      return [...stored, text.includes('the stored API key was removed')];
    };
    const [mine, yours] = [`iw_${'a'.repeat(36)}`, `iw_${'b'.repeat(36)}`];
    await rig.site.define({});
    for (const [host, key, stored, isTold] of [
      ['one.example', mine, mine, false],
      ['one.example/images', '', mine, false],
      ['two.example', '', '', true],
      ['two.example', mine, mine, false],
      ['three.example', 'iw_short', '', true],
      ['three.example', mine, mine, false],
      ['three.example:8443', yours, yours, false],
    ] as const) {
      expect(await save(`https://${host}`, key)).toEqual([`https://${host}`, stored, isTold]);
    }
  });
});
