// A separate module, so that tests can use the built one: see `built-workers.ts` in `test/support`.
const isSource = import.meta.url.endsWith('.ts');

/** Entry file of the embedded database's thread. */
export const WORKER_FILE = new URL(isSource ? './worker.ts' : './worker.js', import.meta.url);

/** Node options for the thread. On Node 20 `--import tsx` has no effect in a thread, so its loader is registered there. */
export const WORKER_LOADER: readonly string[] = isSource
  ? ['--import', `data:text/javascript,import { register } from '${import.meta.resolve('tsx/esm/api')}'; register();`]
  : [];
