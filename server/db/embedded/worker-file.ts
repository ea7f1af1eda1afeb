// A module of its own, so that tests can take the built one: see `built-workers.ts` in `test/support`.
const isSource = import.meta.url.endsWith('.ts');

/** What the thread of the embedded database runs. */
export const WORKER_FILE = new URL(isSource ? './worker.ts' : './worker.js', import.meta.url);

/** What Node needs to run it; on Node 20 `--import tsx` does nothing in a thread, its loader has to be registered there. */
export const WORKER_LOADER: readonly string[] = isSource
  ? ['--import', `data:text/javascript,import { register } from '${import.meta.resolve('tsx/esm/api')}'; register();`]
  : [];
