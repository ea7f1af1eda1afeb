import type { Core } from '../core.ts';
import type { AddSource, Item, MediaItem, Rejection } from '../types.ts';
import type { Candidate } from './collect-files.ts';
import { itemOfCandidate } from './new-item.ts';
import { createRestrictions, type KnownCandidate, type Present, readProperties } from './restrictions.ts';

/** Files that are checked at once. The first chunk is small, so that the first rows appear early. */
const FIRST_CHUNK = 8;
const CHUNK = 25;

/** Accepted and rejected files. */
export interface AddOutcome {
  added: readonly Item[];
  rejections: readonly Rejection[];
}

/** Adds files, one batch after the other. `added` is called with the items of each chunk. */
export function createAdding(core: Core, loadLimits: () => Promise<void>, added: (items: readonly Item[]) => void) {
  /** Item ids by identity of the file. */
  const identities = new Map<string, string>();
  const announceAdded = createAddedAnnouncement(core);
  let turn: Promise<unknown> = Promise.resolve();

  async function addChunk(chunk: readonly KnownCandidate[], restrictions: FileRestrictions) {
    // A file that was put back is no duplicate of the image that misses it.
    const taken = [...identities].flatMap(([identity, id]) => (lacksFile(core.store.get(id)) ? [] : identity));
    const present = { ...sizeOf(core.store.list()), identities: new Set(taken) };
    const { accepted, rejections } = await check(chunk, restrictions, present);
    const items: Item[] = [];
    const found: Item[] = [];
    for (const candidate of accepted) {
      const known = findFileless(core, candidate);
      const item = known ?? itemOfCandidate(candidate);
      identities.set(candidate.identity, item.id);
      if (!known) items.push(item);
      else if (known.imageId) {
        rejections.push(restrictions.reject(candidate, 'duplicate'));
        core.store.patch(known.id, { file: candidate.file });
      } else {
        const { file, size } = candidate;
        found.push({ ...known, ...core.store.patch(known.id, { file, size, status: 'queued', error: null }) });
      }
    }
    const all = [...items, ...found];
    if (items.length > 0) core.store.add(items);
    if (all.length > 0) {
      announceAdded(all.length);
      added(all);
    }
    return { items: all, rejections };
  }

  async function addAll(candidates: readonly Candidate[]): Promise<AddOutcome> {
    await loadLimits();
    const restrictions = createRestrictions(core.config.restrictions, core.config, core.limits);
    const items: Item[] = [];
    const rejections: Rejection[] = [];
    let chunk = candidates.slice(0, FIRST_CHUNK).map(readProperties);
    for (let next = FIRST_CHUNK; chunk.length > 0; next += CHUNK) {
      const adding = addChunk(chunk, restrictions);
      // Nothing delays the first rows; later chunks are read while rows of the chunk before are added.
      if (next === FIRST_CHUNK) await adding;
      chunk = candidates.slice(next, next + CHUNK).map(readProperties);
      const outcome = await adding;
      items.push(...outcome.items);
      rejections.push(...outcome.rejections);
    }
    if (items.length > 0) core.emit('io-add', { items });
    showRejections(core, rejections, candidates.length);
    return { added: items, rejections };
  }

  return {
    /** Adds candidates after the batches before them, so that limits count those. */
    async add(candidates: readonly Candidate[], source: AddSource): Promise<AddOutcome> {
      const files = candidates.flatMap(({ file }) => (file ? [file] : []));
      if (candidates.length === 0 || !core.emit('io-before-add', { files, source })) {
        return { added: [], rejections: [] };
      }
      const outcome = turn.then(() => addAll(candidates));
      turn = outcome.catch(() => {});
      return outcome;
    },
    /** Forgets removed items, so that their files can be added again. */
    forget(items: readonly Item[]) {
      const removed = new Set(items.map(({ id }) => id));
      for (const [identity, id] of identities) if (removed.has(id)) identities.delete(identity);
    },
  };
}

const lacksFile = (item: Item | undefined) => item?.error?.code === 'file_changed';

/** Finds the image that a file belongs to: restored after a reload, lost with its session, or of a file that was changed. */
function findFileless({ store }: Core, candidate: KnownCandidate): Item | undefined {
  const { file, name, size, clientRef, relativePath } = candidate;
  if (!file || clientRef) return undefined;
  return store
    .list()
    .find((item) =>
      lacksFile(item)
        ? item.relativePath === (relativePath || name)
        : !item.file && !item.url && item.name === name && item.size === size,
    );
}

/** Returns the candidate of a media item of the CMS. */
export function candidateOf({ id, blob, url, name, title, alt }: MediaItem): Candidate {
  const own = name ?? (blob as Partial<File> | undefined)?.name ?? url?.split(/[?#]/)[0]?.split('/').pop() ?? '';
  const texts = { title: title ?? undefined, alt: alt ?? undefined };
  return { file: blob ?? null, url, name: own, relativePath: own, clientRef: String(id), ...texts };
}

type FileRestrictions = ReturnType<typeof createRestrictions>;

function sizeOf(items: readonly Item[]) {
  return { count: items.length, bytes: items.reduce((sum, { size }) => sum + (size ?? 0), 0) };
}

/** Checks candidates against the restrictions. `present` counts the accepted ones too. */
async function check(
  candidates: readonly KnownCandidate[],
  { checkListed, checkContent }: FileRestrictions,
  present: Present,
) {
  const rejections: Rejection[] = [];
  const listed = candidates.filter((candidate) => {
    const rejected = checkListed(candidate, present);
    if (rejected) rejections.push(rejected);
    else {
      present.count += 1;
      present.bytes += candidate.size ?? 0;
      present.identities.add(candidate.identity);
    }
    return !rejected;
  });
  const found = await Promise.all(listed.map(checkContent));
  const accepted = listed.filter((_, index) => !found[index]);
  return { accepted, rejections: [...rejections, ...found.flatMap((rejected) => rejected ?? [])] };
}

/** Returns a function that announces added items; counts that are not announced yet are added up. */
function createAddedAnnouncement({ announcer, t }: Core) {
  let pending = 0;
  return (added: number) => {
    pending += added;
    announcer.say('added', () => {
      const count = pending;
      pending = 0;
      return t('announce.added', { count });
    });
  };
}

/** Reports the rejections of a batch of `total` files; without any drops the notice of the batch before. */
function showRejections({ emit, notices, announcer, t }: Core, rejections: Rejection[], total: number) {
  const [first] = rejections;
  if (!first) return notices.drop('rejected');
  emit('io-reject', { rejections });
  const count = rejections.length;
  const message = () => (count === 1 ? first.message : t('reject.count', { count, total }));
  notices.show('rejected', { kind: 'warning', message, phase: 'add', files: rejections });
  announcer.say('rejected', message, { assertive: true });
}
