import type { Core } from '../core.ts';
import type { AddOutcome, FileSource } from '../optimizer-interface.ts';
import type { AddSource, Item, MediaItem, Rejection } from '../types.ts';
import { type Candidate, collectFiles } from './collect-files.ts';
import { itemOfCandidate } from './new-item.ts';
import { createRestrictions, getToKnow, type KnownCandidate } from './restrictions.ts';

/** Files that are looked into at once: the first rows come as soon as the first few are through. */
const FIRST_CHUNK = 8;
const CHUNK = 25;

/** Takes files in, one batch after the other. `added` gets the items of each chunk. */
export function createAdding(core: Core, added: (items: readonly Item[]) => void) {
  const { store, t, announcer } = core;
  const identities = new Map<string, string>();
  let turn: Promise<unknown> = Promise.resolve();
  let unheard = 0;

  function present() {
    const items = store.list();
    const bytes = items.reduce((sum, { size }) => sum + (size ?? 0), 0);
    return { count: items.length, bytes, identities: new Set(identities.keys()) };
  }

  async function addChunk(chunk: readonly KnownCandidate[], check: ReturnType<typeof createRestrictions>) {
    const rejections: Rejection[] = [];
    const now = present();
    const listed = chunk.filter((candidate) => {
      const refused = check.checkListed(candidate, now);
      if (refused) rejections.push(refused);
      else {
        now.count += 1;
        now.bytes += candidate.size ?? 0;
        now.identities.add(candidate.identity);
      }
      return !refused;
    });
    const refusals = await Promise.all(listed.map(check.checkContent));
    const items = listed.flatMap((candidate, index) => {
      const refused = refusals[index];
      if (refused) {
        rejections.push(refused);
        return [];
      }
      const item = itemOfCandidate(candidate);
      identities.set(candidate.identity, item.id);
      return [item];
    });
    if (items.length > 0) {
      store.add(items);
      unheard += items.length;
      announcer.say('added', () => {
        const count = unheard;
        unheard = 0;
        return t('announce.added', { count });
      });
      added(items);
    }
    return { items, rejections };
  }

  async function addAll(candidates: readonly Candidate[]): Promise<AddOutcome> {
    const check = createRestrictions(core.config.restrictions, core.config);
    const items: Item[] = [];
    const rejections: Rejection[] = [];
    let chunk = candidates.slice(0, FIRST_CHUNK).map(getToKnow);
    for (let next = FIRST_CHUNK; chunk.length > 0; next += CHUNK) {
      const adding = addChunk(chunk, check);
      // Nothing comes before the first rows; from then on files are read while rows are made of those before them.
      if (next === FIRST_CHUNK) await adding;
      chunk = candidates.slice(next, next + CHUNK).map(getToKnow);
      const outcome = await adding;
      items.push(...outcome.items);
      rejections.push(...outcome.rejections);
    }
    if (items.length > 0) core.emit('io-add', { items });
    if (rejections.length > 0) {
      core.emit('io-reject', { rejections });
      const count = rejections.length;
      const [first] = rejections;
      const message = () => (count === 1 && first ? first.message : t('reject.count', { count }));
      core.notices.show('rejected', { kind: 'warning', message, phase: 'add', files: rejections });
      announcer.say('rejected', message, { assertive: true });
    } else core.notices.drop('rejected');
    return { added: items, rejections };
  }

  /** Batches wait for each other, so that limits count what came before. */
  function queue(candidates: readonly Candidate[], source: AddSource): Promise<AddOutcome> {
    const files = candidates.flatMap(({ file }) => (file ? [file] : []));
    if (candidates.length === 0 || !core.emit('io-before-add', { files, source })) {
      return Promise.resolve({ added: [], rejections: [] });
    }
    const outcome = turn.then(() => addAll(candidates));
    turn = outcome.catch(() => {});
    return outcome;
  }

  return {
    async addFiles(files: FileSource, source: AddSource = 'api') {
      return queue(await collectFiles(files, source), source);
    },
    addItems(media: readonly MediaItem[]) {
      const candidates = media.map(({ id, blob, url, name, title, alt }): Candidate => {
        const own = name ?? (blob as Partial<File> | undefined)?.name ?? url?.split(/[?#]/)[0]?.split('/').pop() ?? '';
        const texts = { title: title ?? undefined, alt: alt ?? undefined };
        return { file: blob ?? null, url, name: own, relativePath: own, clientRef: String(id), ...texts };
      });
      return queue(candidates, 'api');
    },
    /** A removed file may come again. */
    forget(items: readonly Item[]) {
      const gone = new Set(items.map(({ id }) => id));
      for (const [identity, id] of identities) if (gone.has(id)) identities.delete(identity);
    },
  };
}
