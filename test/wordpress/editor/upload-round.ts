import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { TestAccount } from '../../support/service.ts';
import type { Site } from '../site/site.ts';
import type { SiteUser } from '../site/site-user.ts';
import { PATIENCE } from '../use-rig.ts';
import { EDITOR_NOISE, type Editor } from './open-editor.ts';
import { type EditorFile, editorFiles } from './pictures.ts';

/** Result of a round of uploads. */
export interface UploadRound {
  images: number;
  optimized: number;
  /** Images of which no file would become smaller. */
  noGain: number;
  charged: number;
  /** Exports at the service. */
  exports: number;
  /** Files that pages show, and those of them with a smaller one beside. */
  files: number;
  beside: number;
  /** Sizes of the Ultra HDR photograph that WordPress made with a gain map. */
  gainMaps: number;
  /** Longest time from an image in its block to its state beside it, in milliseconds. */
  slowestState: number;
  /** Differences from the expectation. */
  faults: string[];
}

interface Round {
  site: Site;
  admin: SiteUser;
  account: TestAccount;
  editor: Editor;
}

/** State of an attachment in WordPress. */
interface Stored {
  id: number;
  name: string;
  status: string;
  code: string;
  /** Paths of the files that pages show, and of the smaller files beside them. */
  shown: string[];
  beside: string[];
  missing: number;
  source: string;
}

const STORED = `return array_map( static function ( $id ) {
	clean_post_cache( $id );
	$shown = wp_list_pluck( imagewright()->get( Imagewright_Shown::class )->of( $id ), 'path' );
	$item  = imagewright()->get( Imagewright_Library::class )->describe( $id );
	return array(
		'id'      => $id,
		'name'    => $item['filename'],
		'status'  => $item['status'],
		'code'    => $item['reason']['code'] ?? '',
		'shown'   => array_values( $shown ),
		'beside'  => array_values( array_filter( array_map( static function ( $path ) { $made = glob( $path . '.iw.*' ); return $made ? $made[0] : ''; }, $shown ) ) ),
		'missing' => count( wp_get_missing_image_subsizes( $id ) ),
		'source'  => wp_get_original_image_path( $id ),
	);
}, $ids );`;

/** Uploads twelve files into a gallery, waits until all are optimized, restores half of them, deletes all, and compares. */
export async function uploadRound({ site, admin, account, editor }: Round, round: number): Promise<UploadRound> {
  const files = await editorFiles(round);
  const before = {
    balance: await account.api.balance(),
    jobs: await chargedJobs(account),
    files: await site.uploads(),
  };
  const { ids, slowestState } = await uploadGallery(editor, files);
  const stored = await settled(site, ids);
  const faults = stored.flatMap((one) => faultsOf(one));
  if (ids.length !== files.length) faults.push(`${ids.length} of ${files.length} images arrived`);
  const phone = stored.find(({ source }) => source.endsWith('/phone.jpg'))?.shown ?? [];
  const gainMaps = (await Promise.all(phone.map((path) => readFile(path)))).filter((bytes) => bytes.includes('hdrgm:'));
  faults.push(...(await restored(site, admin, stored, files)));
  await site.php('foreach ( $ids as $id ) { wp_delete_attachment( $id, true ); }', { ids });
  const left = (await site.uploads()).filter((path) => !before.files.includes(path));
  if (left.length > 0) faults.push(`left after the deletion: ${left.join(', ')}`);
  const complaints = editor.complaints.filter((text) => !EDITOR_NOISE.some((pattern) => pattern.test(text)));
  faults.push(...complaints.splice(0));
  editor.complaints.length = 0;
  const optimized = stored.filter(({ status }) => status === 'optimized').length;
  const charged = before.balance - (await account.api.balance());
  const exports = [...(await chargedJobs(account))].filter((job) => !before.jobs.has(job)).length;
  if (charged !== optimized) faults.push(`${charged} credits for ${optimized} optimized images`);
  if (exports !== ids.length) faults.push(`${exports} exports for ${ids.length} images`);
  return {
    ...{ images: ids.length, optimized, noGain: stored.length - optimized, charged, exports, slowestState, faults },
    gainMaps: gainMaps.length,
    files: stored.reduce((sum, { shown }) => sum + shown.length, 0),
    beside: stored.reduce((sum, { beside }) => sum + beside.length, 0),
  };
}

/** Ids of the newest charged jobs. */
async function chargedJobs({ api }: TestAccount): Promise<Set<string>> {
  const path = '/v1/credits/transactions?limit=200';
  const { transactions } = await api.readJson<{ transactions: { kind: string; ref: string }[] }>(path);
  return new Set(transactions.flatMap(({ kind, ref }) => (kind === 'charge' && ref.startsWith('job_') ? [ref] : [])));
}

/** Uploads files into a new gallery and measures when the panel shows the state of each. */
async function uploadGallery({ page }: Editor, files: EditorFile[]): Promise<{ ids: number[]; slowestState: number }> {
  const client = await page.evaluate(() => {
    const { wp } = window as unknown as { wp: WordPress };
    wp.data.dispatch('core/block-editor').resetBlocks([]);
    const block = wp.blocks.createBlock('core/gallery');
    wp.data.dispatch('core/block-editor').insertBlocks(block);
    return block.clientId;
  });
  const input = page.frameLocator('iframe[name=editor-canvas]').locator(`[data-block="${client}"] input[type=file]`);
  const watched = page.evaluate(watchGallery, { client, count: files.length, patience: 3 * PATIENCE.timeout });
  await input.setInputFiles(files, PATIENCE);
  const seen = await watched;
  return { ids: seen.map(({ id }) => id), slowestState: Math.max(...seen.map(({ after }) => after)) };
}

/** Runs in the page: resolves when all images of a gallery have an id and a state beside it. */
async function watchGallery({ client, count, patience }: { client: string; count: number; patience: number }) {
  const { wp } = window as unknown as { wp: WordPress };
  const select = wp.data.select('core/block-editor');
  const arrived = new Map<number, number>();
  const shown = new Map<number, number>();
  const end = performance.now() + patience;
  while (shown.size < count && performance.now() < end) {
    for (const { attributes } of select.getBlock(client)?.innerBlocks ?? []) {
      const { id } = attributes;
      if (!id || shown.has(id)) continue;
      if (!arrived.has(id)) arrived.set(id, performance.now());
      const state = document.querySelector<HTMLElement>(`.imagewright-panel [data-image="${id}"]`)?.dataset.state;
      if (state) shown.set(id, performance.now());
    }
    const selected = select.getSelectedBlockClientId();
    if (selected !== client) wp.data.dispatch('core/block-editor').selectBlock(client);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return [...arrived].map(([id, at]) => ({ id, after: (shown.get(id) ?? Number.POSITIVE_INFINITY) - at }));
}

/** Waits until no image waits any more; the open editor works on the queue. */
async function settled(site: Site, ids: number[]): Promise<Stored[]> {
  const end = Date.now() + 5 * PATIENCE.timeout;
  for (;;) {
    const stored = await site.php<Stored[]>(STORED, { ids });
    const pending = stored.filter(({ status }) => ['queued', 'working', 'none'].includes(status));
    if (pending.length === 0 || Date.now() > end) return stored;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

function faultsOf({ name, status, code, shown, beside, missing }: Stored): string[] {
  const faults = missing > 0 ? [`${name} lacks ${missing} sizes of WordPress`] : [];
  if (status === 'optimized' && beside.length === 0) faults.push(`${name} has no smaller file`);
  if (status !== 'optimized' && code !== 'imagewright_not_smaller') faults.push(`${name} is ${status}: ${code}`);
  if (status !== 'optimized' && beside.length > 0) faults.push(`${name} has files beside but is ${status}`);
  if (shown.length === 0) faults.push(`${name} shows no file`);
  return faults;
}

/** Restores every other image and compares the originals of all with what was uploaded. */
async function restored(site: Site, admin: SiteUser, stored: Stored[], files: EditorFile[]): Promise<string[]> {
  const faults: string[] = [];
  const uploaded = new Set(files.map(({ buffer }) => md5(buffer)));
  for (const [index, { id, name, status, source, shown }] of stored.entries()) {
    const sums = () => Promise.all(shown.map(async (path) => md5(await readFile(path))));
    const before = await sums();
    if (index % 2 === 0 && status === 'optimized') {
      const [answer, body] = await admin.answer('POST', `/attachments/${id}/restore`, {});
      if (answer !== 200 || body.restored !== true) faults.push(`${name} was not restored: ${answer}`);
      const [after] = await site.php<Stored[]>(STORED, { ids: [id] });
      if (after?.status !== 'none' || after.beside.length > 0)
        faults.push(`${name} is ${after?.status} after the restore`);
    }
    if (JSON.stringify(before) !== JSON.stringify(await sums())) faults.push(`${name} differs after the restore`);
    if (!uploaded.has(md5(await readFile(source)))) faults.push(`${name}: the original is not the uploaded file`);
  }
  return faults;
}

function md5(bytes: Uint8Array): string {
  return createHash('md5').update(bytes).digest('hex');
}

/** Parts of WordPress' scripts. */
interface WordPress {
  blocks: { createBlock(name: string): { clientId: string } };
  data: {
    select(store: string): {
      getBlock(clientId: string): { innerBlocks: { attributes: { id?: number } }[] } | null;
      getSelectedBlockClientId(): string | null;
    };
    dispatch(store: string): {
      resetBlocks(blocks: object[]): void;
      insertBlocks(block: object): void;
      selectBlock(clientId: string): void;
    };
  };
}
