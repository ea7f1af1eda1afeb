import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PageWeight } from '../../../plugin-bridge/wordpress/src/weigh-panel.ts';
import { type SharedBrowser, sharedBrowser } from '../../support/browser.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { type BuiltPages, buildPages } from '../pages/build-pages.ts';
import { oracle } from '../pages/oracle.ts';
import { fileTable, losses, sumOf, type Weights, weighPages, weightTable } from '../pages/weigh-pages.ts';
import { prepareMeasuring } from '../scale/measure.ts';
import { type Site, startSite } from '../site/site.ts';
import type { SiteUser } from '../site/site-user.ts';
import type { Snapshot } from '../site/snapshot.ts';

const WAYS = ['beside', 'replace'] as const;
/** Most bytes of all pages, as a share of WordPress's own. */
const MAX_SHARE = 0.62;

/** Adds up what "Weigh this page" says of all pages. */
async function weighedBySite(admin: SiteUser, pages: Record<string, string>) {
  const sum = { before: 0, after: 0 };
  for (const url of Object.values(pages)) {
    const { totals } = await admin.json<PageWeight>('POST', '/weigh', { url });
    sum.before += totals.phone.before + totals.desktop.before;
    sum.after += totals.phone.after + totals.desktop.after;
  }
  return sum;
}

/** Pages that need more queries with the plugin than without it. */
async function pagesWithMoreQueries(pages: Record<string, string>): Promise<string[]> {
  const queriesOf = async (url: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(url, { headers });
    await answer.arrayBuffer();
    return Number(answer.headers.get('X-Test-Queries'));
  };
  const found: string[] = [];
  for (const [type, url] of Object.entries(pages)) {
    const [own, without] = [await queriesOf(url), await queriesOf(url, { 'X-Test-Without': '1' })];
    expect(without).toBeGreaterThan(0);
    if (own > without) found.push(`${type}: ${own} queries, ${without} without the plugin`);
  }
  return found;
}

/** Addresses of shown images that do not answer with an image. */
async function deadAddresses(site: Site, weights: Weights[]): Promise<string[]> {
  const paths = new Set(weights.flatMap((one) => Object.values(one).flatMap(({ files }) => Object.keys(files))));
  expect(paths.size).toBeGreaterThan(10);
  const answers = [...paths].map(async (path) => {
    const answer = await fetch(site.url + path);
    await answer.arrayBuffer();
    const isImage = answer.status === 200 && answer.headers.get('content-type')?.startsWith('image/');
    return isImage ? [] : [`${path} ${answer.status}`];
  });
  return (await Promise.all(answers)).flat();
}

describe.each(['nginx', 'apache', 'php'] as const)('pages of a site behind %s', (server) => {
  let site: Site;
  let admin: SiteUser;
  let browser: SharedBrowser;
  let built: BuiltPages;
  let before: Weights;
  let snapshot: Snapshot;
  let service: TestService;

  beforeAll(async () => {
    // As an operator runs it: with the search for the quality, which services of tests leave out.
    service = await startTestService({ QUALITY_SEARCH: 'on' });
    browser = await sharedBrowser();
    const database = server === 'php' ? 'sqlite' : 'mariadb';
    site = await startSite({ server, database, version: '7.1', memoryLimit: '128M' });
    admin = await site.logIn();
    await prepareMeasuring(site);
    built = await buildPages(site, admin);
    before = await weighPages(browser.browser, built.pages);
    snapshot = await site.takeSnapshot();
  });
  afterAll(async () => {
    await site?.stop();
    await service?.close();
  });

  describe.each(WAYS)('with the delivery %s', (delivery) => {
    let optimized: Weights;

    beforeAll(async () => {
      await snapshot.restore();
      const account = await service.createAccount({ credits: 100 });
      await site.define({ IMAGEWRIGHT_URL: service.url, IMAGEWRIGHT_API_KEY: account.apiKey });
      await site.php('return activate_plugin( "imagewright/imagewright.php" );');
      await site.php('update_option( "imagewright_settings", array( "delivery" => $delivery ) );', { delivery });
      // An image of which nothing becomes smaller is refused when it would be replaced.
      for (const { id } of Object.values(built.pictures)) {
        const [status, answer] = await admin.answer('POST', `/attachments/${id}/optimize`, {});
        if (status !== 200) expect(answer.code).toBe('imagewright_not_smaller');
      }
    });

    it('weigh less, and nothing that visitors see or need becomes worse', async () => {
      const after = await weighPages(browser.browser, built.pages);
      optimized = after;
      const [share, best] = [sumOf(after) / sumOf(before), await oracle(site, before)];
      const title = `${server}, ${delivery}: ${share.toFixed(3)}, at best ${best.toFixed(3)}`;
      console.log([weightTable(after, before), fileTable(before, after), title].join('\n'));
      expect(losses(before, after)).toEqual([]);
      const told = await weighedBySite(admin, built.pages);
      const parts = [told.before / sumOf(before), told.after / sumOf(after)];
      console.log(
        `weighed by the plugin, of the browser's: ${parts.map((part) => part.toFixed(3)).join(' before, ')} after`,
      );
      // The plugin knows neither the layout nor images of style sheets.
      for (const part of parts) expect(Math.abs(part - 1)).toBeLessThan(0.15);
      expect(await pagesWithMoreQueries(built.pages)).toEqual([]);
      expect(share).toBeLessThanOrEqual(MAX_SHARE);
      // The SQLite integration is older than this PHP.
      const log = (await site.debugLog()).split('\n').filter((line) => line && !line.includes('/sqlite-'));
      expect(log).toEqual([]);
    });

    it('show every image as soon as the plugin is switched off', async () => {
      await site.php('deactivate_plugins( "imagewright/imagewright.php" );');
      const after = await weighPages(browser.browser, built.pages);
      console.log(`${server}, ${delivery}, switched off: ${(sumOf(after) / sumOf(before)).toFixed(3)}`);
      const broken = Object.values(after).flatMap(({ failed, blank }) => [...failed, ...blank]);
      expect(broken).toEqual([]);
      expect(await deadAddresses(site, [before, optimized])).toEqual([]);
      if (delivery === 'beside') expect(after).toEqual(before);
    });
  });
});
