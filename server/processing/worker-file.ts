// A separate module, so that tests can replace it by the built one: see `built-workers.ts` in `test/support`.
const isSource = import.meta.url.endsWith('.ts');

/** Module that a worker process runs. */
export const WORKER_FILE = new URL(isSource ? './worker/main.ts' : './worker/main.js', import.meta.url);

/** Node options that the module needs. */
export const WORKER_LOADER: readonly string[] = isSource ? ['--import', 'tsx'] : [];
