import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { FIXTURES } from '../support/api-client.ts';
import { keptInProcess } from '../support/kept-in-process.ts';
import { startTestService, type TestAccount } from '../support/service.ts';
import { type SharedService, sharedService } from '../support/shared-service.ts';
import { type Site, type SiteOfNetwork, startSite } from './site/site.ts';
import type { Constants } from './site/site-config.ts';

/** A WordPress with the plugin active, and the service that it uses. */
export interface Rig extends Library {
  site: Site;
  /** The second site of the network, if there is one. */
  second: (SiteOfNetwork & Library) | null;
  service: SharedService;
  account: TestAccount;
  /** Adds constants to those that connect the site with the service. */
  define(constants: Constants): Promise<void>;
}

/** A rig that one test starts and closes. */
export interface StartedRig extends Rig {
  stop(): Promise<void>;
}

/** Contents of the media library of a site. */
export interface Library {
  /** Stored data of the attachments. */
  attachment(id: number): Promise<StoredAttachment>;
  /** md5 of every file below the uploads folder, by path. */
  checksums(): Promise<Record<string, string>>;
}

/** An attachment in WordPress' database. */
export interface StoredAttachment {
  file: string;
  mime: string;
  guid: string;
  title: string;
  alt: string;
  metadata: {
    width: number;
    height: number;
    file: string;
    filesize: number;
    original_image?: string;
    sizes: Record<string, { file: string; width: number; height: number; 'mime-type': string; filesize: number }>;
  };
  backups: Record<string, { file: string }> | '';
  missing: Record<string, unknown>;
  state: Record<string, unknown> | '';
}

const ATTACHMENT = `clean_attachment_cache( $id ); $post = get_post( $id );
return array(
	'file' => get_post_meta( $id, '_wp_attached_file', true ),
	'mime' => $post->post_mime_type,
	'guid' => $post->guid,
	'title' => $post->post_title,
	'alt' => (string) get_post_meta( $id, '_wp_attachment_image_alt', true ),
	'metadata' => get_post_meta( $id, '_wp_attachment_metadata', true ),
	'backups' => get_post_meta( $id, '_wp_attachment_backup_sizes', true ),
	'missing' => (object) wp_get_missing_image_subsizes( $id ),
	'state' => get_post_meta( $id, '_imagewright', true ),
);`;

/** Starts a service and a site that has its address and a key as constants. `tree` is another WordPress than the pinned one. */
export async function startRig({ credits = 100, tree = undefined as string | undefined } = {}): Promise<StartedRig> {
  const [service, site] = await Promise.all([startTestService(), startSite({ tree })]);
  const rig = await connect({ site, service, credits });
  await activate(site);
  return {
    ...rig,
    async stop() {
      await Promise.all([site.stop(), service.close()]);
    },
  };
}

/** The site that the test files of this process use one after the other, and how it was before the first of them. */
const keptSite = keptInProcess(
  async () => {
    const site = await startSite();
    await activate(site);
    return { site, snapshot: await site.takeSnapshot() };
  },
  ({ site }) => site.stop(),
);

/**
 * Returns the service and the site that this process shares: the site as it was after the plugin was activated, the account new.
 * Address and key are constants of the site unless `configured` is false. With `network` there are two sites, and the plugin is
 * active on both. `delivery` and `auto` are settings of the plugin; a new site has `beside` and true.
 */
export async function borrowRig({
  credits = 100,
  configured = true,
  network = false,
  delivery = 'replace' as 'beside' | 'replace',
  auto = false,
} = {}): Promise<Rig> {
  const [service, { site, snapshot }] = await Promise.all([sharedService(), keptSite()]);
  await snapshot.restore();
  const rig = await connect({ site, service, credits, configured });
  const second = network ? await site.makeNetwork() : null;
  if (network) await activate(site, { network });
  await site.php('update_option( "imagewright_settings", array( "delivery" => $delivery, "auto" => $auto ) );', {
    delivery,
    auto,
  });
  return { ...rig, second: second && { ...second, ...libraryOf(second) } };
}

async function activate(site: Site, { network = false } = {}): Promise<void> {
  await site.php('return activate_plugin( "imagewright/imagewright.php", "", $network );', { network });
}

async function connect({
  site,
  service,
  credits,
  configured = true,
}: {
  site: Site;
  service: SharedService;
  credits: number;
  configured?: boolean;
}): Promise<Rig> {
  const account = await service.createAccount({ credits });
  const connection: Constants = configured ? { IMAGEWRIGHT_URL: service.url, IMAGEWRIGHT_API_KEY: account.apiKey } : {};
  await site.define(connection);
  return {
    site,
    second: null,
    service,
    account,
    define: (constants) => site.define({ ...connection, ...constants }),
    ...libraryOf(site),
  };
}

/** The media library of a site. */
function libraryOf(site: SiteOfNetwork): Library {
  return {
    attachment: (id) => site.php<StoredAttachment>(ATTACHMENT, { id }),
    async checksums() {
      const paths = await site.uploads();
      const sums = paths.map(async (path) => [path, md5(await readFile(join(site.uploadsDir, path)))] as const);
      return Object.fromEntries(await Promise.all(sums));
    },
  };
}

function md5(bytes: Uint8Array): string {
  return createHash('md5').update(bytes).digest('hex');
}

/** A photograph as JPEG, fitted into a width: large enough to gain from, small enough for a quick test. */
export async function photograph(
  width: number,
  { name = 'photo-mountains.jpg', height = undefined as number | undefined } = {},
) {
  const image = sharp(join(FIXTURES, 'photos', name))
    .rotate()
    .resize({ width, height, fit: 'cover' });
  return new Uint8Array(await image.jpeg({ quality: 95 }).toBuffer());
}

/** A WebP image that no export makes smaller. Below 150 px WordPress makes no sizes of it, which an export could make smaller. */
export async function tinyPicture(width: number): Promise<Uint8Array> {
  const image = sharp(await photograph(width)).webp({ quality: 5 });
  return new Uint8Array(await image.toBuffer());
}

/** A file of `test/fixtures`. */
export async function fixture(path: string): Promise<Uint8Array> {
  return new Uint8Array(await readFile(join(FIXTURES, path)));
}
