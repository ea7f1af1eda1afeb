import type { ImageResult } from '#contract';
import type { Core } from '../core.ts';
import { failure, isFatal } from '../errors.ts';
import type { Item, NoticeFile, OptimizerError, Position } from '../types.ts';
import { createMilestones } from './milestones.ts';

/** Between two downloads, so that the browser takes them for several, in milliseconds. */
const GAP_MS = 200;

/** Holds which files are missing: whoever dismisses it does not want them any more. */
const TOPIC = 'error-download';

/** Access to files that downloads need. */
interface DownloadDeps {
  /** Announces a file to the page; `allowed`: no listener handles it. */
  offer(
    type: 'io-download',
    item: Item,
    result: ImageResult,
    variant: string,
  ): { allowed: boolean; promises: readonly Promise<unknown>[]; filename: string };
  fetchFile(result: ImageResult, variant: string): Promise<Blob>;
}

/** Hands files of exports out. What could not be had stays in sight until it is there. */
export function createDownloads(core: Core, { offer, fetchFile }: DownloadDeps) {
  const { store, env, notices, announcer, t } = core;
  const milestones = createMilestones(core, 'download');
  let saving: Position | null = null;

  const notice = () => notices.list().find(({ id }) => id === TOPIC);

  /** A file is missing, or no longer. */
  function mark(id: string, variant: string, name: string, error?: OptimizerError) {
    const files: NoticeFile[] = (notice()?.files ?? []).filter((file) => file.id !== id || file.variant !== variant);
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
    // What is gone is not there at the next try either.
    const actions = files.some(({ code }) => code !== 'not_found') ? (['download-missing'] as const) : [];
    notices.show(TOPIC, { kind: 'error', message, phase: 'download', files, actions });
  }

  /** The file, null when a listener took it; or why it is missing. @throws `not_found` for what the list does not have */
  async function get(id: string, variant: string) {
    const item = store.get(id);
    if (item?.result?.status !== 'completed') throw failure('not_found');
    const { allowed, promises, filename } = offer('io-download', item, item.result, variant);
    try {
      const blob = allowed ? await fetchFile(item.result, variant) : await Promise.all(promises);
      mark(id, variant, filename);
      return { file: blob instanceof Blob ? { blob, filename } : null };
    } catch (cause) {
      const error = core.report(cause, 'download', [id]);
      mark(id, variant, filename, error);
      return { cause, error };
    }
  }

  return {
    get saving() {
      return saving;
    },
    async download(id: string, variant = 'full') {
      const { file = null, cause, error } = await get(id, variant);
      if (!error) return file;
      announcer.say('error', notice()?.message ?? '', { assertive: true, delay: 0 });
      throw cause;
    },
    async downloadAll(save: (blob: Blob, filename: string) => void, again = false) {
      if (saving) return;
      const all = store.list().flatMap(({ id, result }) => {
        return result?.variants.map(({ name, filename }) => ({ id, variant: name, name: filename })) ?? [];
      });
      const files = again ? (notice()?.files ?? []) : all;
      let hopeless: OptimizerError | undefined;
      let done = 0;
      for (const [index, { id = '', variant = '', name }] of files.entries()) {
        saving = { index: index + 1, count: files.length };
        core.touch();
        const got = await (hopeless
          ? mark(id, variant, name, hopeless)
          : get(id, variant).catch(() => mark(id, variant, name)));
        if (!got) continue;
        const { file, error } = got;
        if (file) save(file.blob, file.filename);
        if (!error) done += 1;
        else if (isFatal(error.code) || !env.online.isOnline()) hopeless = error;
        await new Promise<void>((resolve) => env.setTimeout(resolve, GAP_MS));
      }
      saving = null;
      core.touch();
      milestones.end(done, notice()?.files.length ?? 0);
    },
  };
}
