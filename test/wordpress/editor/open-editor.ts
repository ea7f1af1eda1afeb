import type { Page } from 'playwright-core';
import type { SharedBrowser, Tab } from '../../support/browser.ts';
import type { Picture } from '../pages/pictures.ts';
import type { Site, SiteOfNetwork } from '../site/site.ts';
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
  /** Inserts an image block, uploads a file through it that is refused, and returns the message. */
  refuseImage(picture: Picture): Promise<string>;
}

const PREFERENCES = `global $wpdb;
update_user_meta( 1, $wpdb->get_blog_prefix() . 'persisted_preferences', array( 'core/edit-post' => array( 'welcomeGuide' => false ), '_modified' => gmdate( 'c' ) ) );`;

/** Hides the guide of the block editor, which has pictures from elsewhere. */
export async function hideGuide(site: SiteOfNetwork): Promise<void> {
  await site.php(PREFERENCES);
}

/** Opens the block editor of a new post. */
export async function openEditor(browser: SharedBrowser, site: Site, admin: SiteUser): Promise<Editor> {
  await hideGuide(site);
  const tab = await browser.open();
  await tab.context.addCookies(admin.cookies);
  const requests: string[] = [];
  tab.page.on('request', (request) => {
    const [, path] = /\/wp-json\/wp\/v2\/media([^?]*)/.exec(request.url()) ?? [];
    if (path !== undefined) requests.push(`${request.method()} ${path}`);
  });
  // The console names no address.
  tab.page.on('response', (response) => {
    if (response.status() >= 400) tab.complaints.push(`${response.status()}: ${response.url()}`);
  });
  await tab.page.goto(`${site.url}/wp-admin/post-new.php`, PATIENCE);
  await tab.page.locator('iframe[name=editor-canvas]').waitFor(PATIENCE);
  return {
    ...tab,
    requests,
    insertImage: (picture) => insertImage(tab.page, picture),
    refuseImage: (picture) => refuseImage(tab.page, picture),
  };
}

/** Inserts an image block and chooses a file in it. Returns the block. */
async function chooseFile(page: Page, { name, bytes, type }: Picture): Promise<string> {
  const client = await page.evaluate(() => {
    const { wp } = window as unknown as { wp: WordPressEditor };
    const block = wp.blocks.createBlock('core/image');
    wp.data.dispatch('core/block-editor').insertBlocks(block);
    return block.clientId;
  });
  const input = page.frameLocator('iframe[name=editor-canvas]').locator(`[data-block="${client}"] input[type=file]`);
  await input.setInputFiles({ name, mimeType: type, buffer: Buffer.from(bytes) }, PATIENCE);
  return client;
}

async function refuseImage(page: Page, picture: Picture): Promise<string> {
  await chooseFile(page, picture);
  const notice = page.locator('.components-snackbar, .components-notice').filter({ hasText: /HEIC|heic/ });
  await notice.first().waitFor(PATIENCE);
  return notice.first().innerText();
}

async function insertImage(page: Page, picture: Picture): Promise<number> {
  const { name } = picture;
  const finished = page.waitForResponse(/\/media\/\d+\/finalize/, PATIENCE);
  const client = await chooseFile(page, picture);
  const answer = await finished;
  if (!answer.ok()) throw new Error(`the upload of ${name} ended with ${answer.status()}: ${await answer.text()}`);
  const id = Number(/\/media\/(\d+)\//.exec(answer.url())?.[1]);
  await page.waitForFunction(
    ([clientId, imageId]) => {
      const { wp } = window as unknown as { wp: WordPressEditor };
      return wp.data.select('core/block-editor').getBlockAttributes(clientId).id === imageId;
    },
    [client, id] as const,
    PATIENCE,
  );
  return id;
}

/** A block in an editor. */
export interface EditorBlock {
  clientId: string;
  isValid: boolean;
  attributes: Record<string, unknown>;
}

/** Scripts of WordPress in an editor. */
export interface WordPressEditor {
  blocks: { createBlock(name: string, attributes?: object, inner?: object[]): { clientId: string } };
  data: {
    select(store: 'core/block-editor'): {
      getBlocks(): EditorBlock[];
      getSelectedBlock(): EditorBlock;
      getBlockAttributes(clientId: string): { id?: number };
    };
    select(store: 'core/editor'): { getCurrentPostId(): number };
    dispatch(store: 'core/editor'): { editPost(edits: object): void; savePost(): Promise<void> };
    dispatch(store: 'core/edit-post'): { openGeneralSidebar(name: string): void };
    dispatch(store: 'core/block-editor'): { insertBlocks(blocks: object): void; selectBlock(clientId: string): void };
  };
}
