import type { Page } from 'playwright-core';
import type { SharedBrowser, Tab } from '../../support/browser.ts';
import type { Picture } from '../pages/pictures.ts';
import type { Site } from '../site/site.ts';
import type { SiteUser } from '../site/site-user.ts';
import { PATIENCE } from '../use-rig.ts';

/**
 * Arguments of a browser in which WordPress 7.1 processes images itself: its pages are isolated by `Document-Isolation-Policy`, for which
 * Chromium needs a process per site. The site is served as `localhost`.
 */
export const ISOLATING = ['--site-per-process'];

/** Complaints of WordPress 7.1 alone. */
export const EDITOR_NOISE = [/was added to the iframe incorrectly/];

/** The block editor with a new post. */
export interface Editor extends Tab {
  /** Requests to the media routes so far, e.g. `POST /7/sideload`. */
  requests: string[];
  /** Inserts an image block, uploads a file through it and returns the attachment's id when all its sizes exist. */
  insertImage(picture: Picture): Promise<number>;
}

const PREFERENCES = `global $wpdb;
update_user_meta( 1, $wpdb->get_blog_prefix() . 'persisted_preferences', array( 'core/edit-post' => array( 'welcomeGuide' => false ), '_modified' => gmdate( 'c' ) ) );`;

/** Opens the block editor of a new post. */
export async function openEditor(browser: SharedBrowser, site: Site, admin: SiteUser): Promise<Editor> {
  // Its guide has pictures from elsewhere.
  await site.php(PREFERENCES);
  const tab = await browser.open();
  await tab.context.addCookies(admin.cookies);
  const requests: string[] = [];
  tab.page.on('request', (request) => {
    const [, path] = /\/wp-json\/wp\/v2\/media([^?]*)/.exec(request.url()) ?? [];
    if (path !== undefined) requests.push(`${request.method()} ${path}`);
  });
  await tab.page.goto(`${site.url}/wp-admin/post-new.php`, PATIENCE);
  await tab.page.locator('iframe[name=editor-canvas]').waitFor(PATIENCE);
  return { ...tab, requests, insertImage: (picture) => insertImage(tab.page, picture) };
}

async function insertImage(page: Page, { name, bytes, type }: Picture): Promise<number> {
  const client = await page.evaluate(() => {
    const { wp } = window as unknown as { wp: WordPress };
    const block = wp.blocks.createBlock('core/image');
    wp.data.dispatch('core/block-editor').insertBlocks(block);
    return block.clientId;
  });
  const input = page.frameLocator('iframe[name=editor-canvas]').locator(`[data-block="${client}"] input[type=file]`);
  const finished = page.waitForResponse(/\/media\/\d+\/finalize/, PATIENCE);
  await input.setInputFiles({ name, mimeType: type, buffer: Buffer.from(bytes) }, PATIENCE);
  const answer = await finished;
  if (!answer.ok()) throw new Error(`the upload of ${name} ended with ${answer.status()}: ${await answer.text()}`);
  const id = Number(/\/media\/(\d+)\//.exec(answer.url())?.[1]);
  await page.waitForFunction(
    ([clientId, imageId]) => {
      const { wp } = window as unknown as { wp: WordPress };
      return wp.data.select('core/block-editor').getBlockAttributes(clientId).id === imageId;
    },
    [client, id] as const,
    PATIENCE,
  );
  return id;
}

/** Parts of WordPress' scripts. */
interface WordPress {
  blocks: { createBlock(name: string): { clientId: string } };
  data: {
    dispatch(store: string): { insertBlocks(block: object): void };
    select(store: string): { getBlockAttributes(clientId: string): { id?: number } };
  };
}
