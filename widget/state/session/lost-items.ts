import type { Core } from '../core.ts';
import { toOptimizerError } from '../errors.ts';
import { EDITABLE_FIELDS } from '../review/item-questions.ts';
import type { MetadataSaver } from '../review/metadata-saver.ts';
import type { Results } from '../runs/results.ts';
import type { Item } from '../types.ts';
import { emptyItem } from '../uploads/new-item.ts';
import type { SavedItem } from './saved-types.ts';

/** Parts that lost images need. */
interface LostDeps {
  core: Core;
  saver: MetadataSaver;
}

/** Returns the changes of an image that the service no longer has. Without a file it has to be added again. */
function withoutImage(core: Core, { id, file, url }: Pick<Item, 'id' | 'file' | 'url'>): Partial<Item> {
  const gone = { imageId: null, image: null, sample: null, result: null, stale: false, replacement: null };
  const rest = { ...gone, step: null, progress: 0 };
  if (file || url) return { ...rest, status: 'queued', error: null };
  const cause = Object.assign(new Error('the file is gone'), { code: 'file_gone' });
  const error = Object.assign(toOptimizerError(cause, core.t, [id]), { phase: 'upload' as const });
  return { ...rest, status: 'failed', error };
}

/** Sends all texts of an image with its next upload. */
function keepTexts({ saver }: LostDeps, { id, metadata, origins }: Item): void {
  const own = EDITABLE_FIELDS.filter((field) => origins[field] === 'user' || origins[field] === 'ai');
  if (own.length > 0) saver.put(id, Object.fromEntries(own.map((field) => [field, metadata[field]])));
}

/** Adds images whose files are gone, with their texts. */
export function addLost(deps: LostDeps, saved: readonly SavedItem[]): Item[] {
  const { core } = deps;
  const items = saved.map((kept) => {
    const item = { ...emptyItem(), ...kept };
    return { ...item, ...withoutImage(core, item) };
  });
  core.store.add(items);
  for (const item of items) keepTexts(deps, item);
  return items;
}

/** Makes images of an ended session ready to be uploaded again, with their texts. */
export function loseImages(deps: LostDeps, results: Pick<Results, 'forget'>): void {
  const { core } = deps;
  results.forget(core.store.list().map(({ id }) => id));
  for (const item of core.store.list()) {
    core.store.patch(item.id, withoutImage(core, item));
    keepTexts(deps, item);
  }
}
