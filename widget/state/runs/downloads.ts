import type { Core } from '../core.ts';
import { failure, isFatal } from '../errors.ts';
import type { NoticeFile } from '../messages.ts';
import type { OptimizerError, Position } from '../types.ts';
import { createMilestones } from './milestones.ts';
import { fetchFile, keyOfFile, offerFile } from './offer-file.ts';

/** Delay between two downloads, in milliseconds: without it browsers drop some of them. */
const GAP_MS = 200;

/** Topic of the notice that lists the missing files. Dismissing it drops the list. */
const TOPIC = 'error-download';

/** Creates the downloads of exported files. A notice lists the files that could not be fetched. */
export function createDownloads(core: Core) {
  const { store, env, announcer } = core;
  const milestones = createMilestones(core, 'download');
  let saving: Position | null = null;

  function listFiles() {
    return store
      .list()
      .flatMap(
        ({ id, result }) =>
          result?.variants.map((file) => ({ id, variant: keyOfFile(result, file), name: file.filename })) ?? [],
      );
  }

  return {
    get saving() {
      return saving;
    },
    async download(id: string, variant = 'full') {
      const { file = null, cause, error } = await get(core, id, variant);
      if (!error) return file;
      announcer.say('error', findNotice(core)?.message ?? '', { assertive: true, delay: 0 });
      throw cause;
    },
    async downloadAll(save: (blob: Blob, filename: string) => void, again = false) {
      if (saving) return;
      const files: readonly Pick<NoticeFile, 'id' | 'variant' | 'name'>[] = again ? missingFiles(core) : listFiles();
      /** The error that every further download would have too. */
      let lasting: OptimizerError | undefined;
      let done = 0;
      for (const [index, { id = '', variant = '', name }] of files.entries()) {
        saving = { index: index + 1, count: files.length };
        core.touch();
        const got = await (lasting
          ? mark(core, id, variant, name, lasting)
          : get(core, id, variant).catch(() => mark(core, id, variant, name)));
        if (!got) continue;
        const { file, error } = got;
        if (file) save(file.blob, file.filename);
        if (!error) done += 1;
        else if (isFatal(error.code) || !env.online.isOnline()) lasting = error;
        await new Promise<void>((resolve) => env.setTimeout(resolve, GAP_MS));
      }
      saving = null;
      core.touch();
      milestones.end(done, missingFiles(core).length);
    },
  };
}

const findNotice = ({ notices }: Core) => notices.list().find(({ id }) => id === TOPIC);

const missingFiles = (core: Core) => findNotice(core)?.files ?? [];

/**
 * Fetches a file. `file`: null if a listener handles the download; `error`: the file is now listed as missing.
 * @throws `not_found` if the item has no such file
 */
async function get(core: Core, id: string, variant: string) {
  const item = core.store.get(id);
  if (item?.result?.status !== 'completed') throw failure('not_found');
  const { allowed, promises, filename } = offerFile(core, 'io-download', item, item.result, variant);
  try {
    const blob = allowed ? await fetchFile(core, item.result, variant) : await Promise.all(promises);
    mark(core, id, variant, filename);
    return { file: blob instanceof Blob ? { blob, filename } : null };
  } catch (cause) {
    const error = core.report(cause, 'download', [id]);
    mark(core, id, variant, filename, error);
    return { cause, error };
  }
}

/** Lists a file as missing because of `error`; without one takes it off the list. */
function mark(core: Core, id: string, variant: string, name: string, error?: OptimizerError) {
  const { store, notices, t } = core;
  const files = missingFiles(core).filter((file) => file.id !== id || file.variant !== variant);
  if (error && store.get(id)) {
    files.push({
      id,
      variant,
      name,
      code: error.code,
      get message() {
        return `${name} · ${error.message}`;
      },
    });
  }
  const [first] = files;
  if (!first) return notices.drop(TOPIC);
  const message = () => (files.length > 1 ? t('notice.download_failed', { count: files.length }) : first.message);
  // A file that was not found will not be found by the next try either.
  const actions = files.some(({ code }) => code !== 'not_found') ? (['download-missing'] as const) : [];
  notices.show(TOPIC, { kind: 'error', message, phase: 'download', files, actions });
}
