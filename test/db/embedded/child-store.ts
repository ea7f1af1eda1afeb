import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** A store served by a process of its own. */
export interface ChildStore {
  uri: string;
  process: ChildProcess;
  /** Ends it at once, as a power switch would end the process. */
  kill(): Promise<void>;
}

/** Starts a process that serves a directory and waits until it can be reached. */
export async function startChildStore(directory: string): Promise<ChildStore> {
  const script = fileURLToPath(new URL('./serve.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', script, directory], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const lines = createInterface({ input: child.stdout });
  const line = once(lines, 'line') as Promise<[string]>;
  const ended = exited.then(() => Promise.reject(new Error('the store ended before it was ready')));
  ended.catch(() => {});
  const [uri] = await Promise.race([line, ended]);
  const kill = async () => {
    child.kill('SIGKILL');
    await exited;
  };
  return { uri, process: child, kill };
}
