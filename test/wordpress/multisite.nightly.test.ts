import { beforeAll, describe, expect, it } from 'vitest';
import type { TestAccount } from '../support/service.ts';
import { photograph, type Rig } from './rig.ts';
import type { SiteUser } from './site/site-user.ts';
import { useRig } from './use-rig.ts';

const { rig, admin, exported, expectQuietLog } = useRig({ network: true });
/** The second site of the network, with the network's administrator. */
let second: NonNullable<Rig['second']>;
let there: SiteUser;
let accounts: { first: TestAccount; second: TestAccount };

beforeAll(async () => {
  if (!rig.second) throw new Error('there is no network');
  second = rig.second;
  there = await second.logIn();
  accounts = { first: rig.account, second: await rig.service.createAccount({ credits: 5 }) };
  const settings = 'update_option( "imagewright_settings", $settings ); update_option( "imagewright_api_key", $key );';
  await rig.site.php(settings, {
    key: accounts.first.apiKey,
    settings: { format: 'webp', delivery: 'replace', auto: false },
  });
  await second.php(settings, { key: accounts.second.apiKey, settings: { format: 'jpeg', auto: false } });
});

/** Configuration between tests: one service address for the network, one key per site. */
const onlyAddress = () => rig.site.define({ IMAGEWRIGHT_URL: rig.service.url });
const balances = async () => [await accounts.first.api.balance(), await accounts.second.api.balance()];

describe('a network of sites', () => {
  it('separates settings, credits, images and files, and restores byte for byte on the second site', async () => {
    await onlyAddress();
    expect(await rig.site.php('return array( is_multisite(), get_current_blog_id() );')).toEqual([true, 1]);
    expect(await second.php('return array( is_multisite(), get_current_blog_id() );')).toEqual([true, 2]);
    const shown = async (user: SiteUser, { url }: { url: string }) => {
      const answer = await fetch(`${url}/wp-admin/options-general.php?page=imagewright`, {
        headers: { Cookie: user.cookie },
      });
      return /A key that ends in (\w{4})/.exec(await answer.text())?.[1];
    };
    expect(await shown(admin, rig.site)).toBe(accounts.first.apiKey.slice(-4));
    expect(await shown(there, second)).toBe(accounts.second.apiKey.slice(-4));

    const photo = await photograph(900);
    const here = await admin.upload('here.jpg', photo, 'image/jpeg');
    const id = await there.upload('there.jpg', photo, 'image/jpeg');
    const [before, checksums, others] = [await second.attachment(id), await second.checksums(), await rig.checksums()];
    expect(Object.keys(checksums).length).toBeGreaterThan(3);
    const [first, other] = await balances();

    expect(await there.json('POST', `/attachments/${id}/optimize`)).toMatchObject({ mime: 'image/jpeg' });
    expect(await balances()).toEqual([first, (other ?? 0) - 1]);
    expect(await second.attachment(id)).toMatchObject({ file: before.file, missing: {} });
    const after = await rig.checksums();
    const changed = Object.keys(after).filter((path) => after[path] !== others[path]);
    expect(changed.length).toBeGreaterThan(3);
    expect(changed.filter((path) => !path.startsWith('sites/2/'))).toEqual([]);

    expect(await admin.json('POST', `/attachments/${here}/optimize`)).toMatchObject({ mime: 'image/webp' });
    expect(await balances()).toEqual([(first ?? 0) - 1, (other ?? 0) - 1]);
    expect(await there.json('POST', `/attachments/${id}/restore`)).toMatchObject({ restored: true });
    expect(await second.attachment(id)).toEqual(before);
    expect(await second.checksums()).toEqual(checksums);
    await there.json('POST', `/attachments/${id}/optimize`, { format: 'webp' });
    await second.php('wp_delete_attachment( $id, true );', { id });
    expect(await second.uploads()).toEqual([]);
  });

  it('binds bulk runs and sessions of a user to one site', async () => {
    const id = await there.upload('in-a-run.jpg', await photograph(500), 'image/jpeg');
    await there.json('POST', '/run', { ids: [id] });
    expect(await there.json('GET', '/run')).toMatchObject({ run: { total: 1 } });
    expect(await admin.json('GET', '/run')).toEqual({ run: null });

    // Both sites use the same key, so only the site separates them.
    await rig.define({});
    const here = await admin.upload('reviewed.jpg', await photograph(501), 'image/jpeg');
    const { sessionId } = await exported(here, 'sample');
    const path = `/service/v1/sessions/${sessionId}`;
    expect([(await admin.call('GET', path)).status, (await there.call('GET', path)).status]).toEqual([200, 404]);
  });

  it('gives an administrator of one site no permissions on another', async () => {
    await second.createUser('owner', 'administrator');
    const owner = await second.logIn('owner', 'owner');
    await onlyAddress();
    expect((await owner.call('POST', '/connection', {})).status).toBe(200);
    const elsewhere = await rig.site.logIn('owner', 'owner');
    for (const [method, path] of [
      ['POST', '/connection'],
      ['GET', '/attachments'],
      ['GET', '/service/v1/credits/balance'],
    ] as const) {
      expect([path, (await elsewhere.call(method, path)).status]).toEqual([path, 403]);
    }
  });

  it('has no data of the plugin on any site after uninstalling, and keeps the images', async () => {
    await onlyAddress();
    const ids: number[] = [];
    for (const [user, site] of [
      [admin, rig.site],
      [there, second],
    ] as const) {
      const id = await user.upload('stays.jpg', await photograph(600), 'image/jpeg');
      await user.json('POST', `/attachments/${id}/optimize`, { format: 'webp' });
      await user.json('POST', '/run', { ids: [id] });
      await user.json('POST', `/attachments/${id}/attach`, {});
      await site.php('add_option( "imagewright_4711.lock", time() );');
      ids.push(id);
    }
    const [here = 0, elsewhere = 0] = ids;
    const stored = [await rig.attachment(here), await second.attachment(elsewhere)];
    const files = await rig.checksums();
    const left = () =>
      rig.site.php<string[][]>(
        `global $wpdb; $found = array();
        foreach ( array( 'options' => 'option_name', 'postmeta' => 'meta_key', '2_options' => 'option_name', '2_postmeta' => 'meta_key', 'usermeta' => 'meta_key' ) as $table => $column ) {
          $found[] = $wpdb->get_col( "SELECT DISTINCT $column FROM {$wpdb->base_prefix}$table WHERE $column LIKE '%imagewright%'" );
        }
        return $found;`,
      );
    const before = await left();
    expect(before.map((names) => names.length > 0)).toEqual([true, true, true, true, true]);
    expect(before[4]?.sort()).toEqual(['wp_2_imagewright_session', 'wp_imagewright_session']);
    const tables = () =>
      rig.site.php<string[]>('global $wpdb; return $wpdb->get_col( "SHOW TABLES LIKE \'%imagewright\'" );');
    expect(await tables()).toHaveLength(2);
    await rig.site.php(
      `deactivate_plugins( 'imagewright/imagewright.php', false, true ); deactivate_plugins( 'imagewright/imagewright.php', false, false ); uninstall_plugin( 'imagewright/imagewright.php' );`,
    );
    expect([await left(), await tables()]).toEqual([[[], [], [], [], []], []]);
    const withoutState = stored.map((one) => ({ ...one, state: '' }));
    expect([await rig.attachment(here), await second.attachment(elsewhere)]).toEqual(withoutState);
    expect(await rig.checksums()).toEqual(files);
    await expectQuietLog();
  });
});
