import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SharedBrowser, sharedBrowser } from '../../support/browser.ts';
import { photograph } from '../rig.ts';
import { type Site, startSite } from '../site/site.ts';
import type { SiteUser } from '../site/site-user.ts';
import { PATIENCE } from '../use-rig.ts';

describe.each(['nginx', 'apache'] as const)('WordPress 7.1 on MariaDB behind %s', (server) => {
  let site: Site;
  let admin: SiteUser;
  let browser: SharedBrowser;

  beforeAll(async () => {
    site = await startSite({ server, database: 'mariadb', version: '7.1', memoryLimit: '128M' });
    admin = await site.logIn();
    browser = await sharedBrowser();
  });
  afterAll(() => site?.stop());

  it('runs the versions that it is asked for, with a memory limit that no page can raise', async () => {
    const facts = await site.php<string[]>(
      'ini_set( "memory_limit", "1G" ); return array( $GLOBALS["wp_version"], $GLOBALS["wpdb"]->db_server_info(), ini_get( "memory_limit" ), PHP_SAPI, $_SERVER["SERVER_SOFTWARE"] );',
    );
    const [version, database, ...others] = facts;
    expect(version).toMatch(/^7\.1/);
    expect(database).toContain('MariaDB');
    expect(others).toEqual(['128M', 'fpm-fcgi', expect.stringMatching(new RegExp(server, 'i'))]);
    expect(await site.command('return $one + 1;', { one: 1 })).toBe(2);
  });

  it('activates the plugin and opens the media list with its column', async () => {
    await site.php('return activate_plugin( "imagewright/imagewright.php" );');
    await admin.upload('mountains.jpg', await photograph(600), 'image/jpeg');
    const { page, context, expectQuiet } = await browser.open();
    await context.addCookies(admin.cookies);
    await page.goto(`${site.url}/wp-admin/upload.php?mode=list`, PATIENCE);
    expect(await page.locator('.imagewright-pill').allInnerTexts()).toEqual(['Not optimized']);
    expectQuiet();
    expect(await site.debugLog()).toBe('');
  });

  it('answers again after its PHP was killed', async () => {
    site.killPhp?.();
    await expect.poll(async () => (await fetch(site.url)).status).toBe(200);
  });

  it('sets files and database back to a snapshot', async () => {
    const snapshot = await site.takeSnapshot();
    const [files, count] = [await site.uploads(), await site.database?.sql('SELECT COUNT(*) FROM wp_posts')];
    await admin.upload('stream.jpg', await photograph(600, { name: 'photo-stream.jpg' }), 'image/jpeg');
    expect(await site.uploads()).not.toEqual(files);
    await snapshot.restore();
    expect(await site.uploads()).toEqual(files);
    expect(await site.database?.sql('SELECT COUNT(*) FROM wp_posts')).toBe(count);
  });
});
