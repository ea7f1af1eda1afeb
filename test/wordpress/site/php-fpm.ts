import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isRoot, type Program, programPath, startProgram } from './program.ts';
import { answers, type Served } from './serve-native.ts';

/** PHP-FPM that serves one site. */
export interface Fpm {
  socket: string;
  /** Kills every worker, also in the middle of a request. FPM starts new ones. */
  killWorkers(): void;
  stop(): Promise<void>;
}

/** Starts PHP-FPM with its files in `home`. Pages cannot raise the memory limit. */
export async function startFpm({ home, memoryLimit }: { home: string; memoryLimit: string }): Promise<Fpm> {
  const socket = join(home, 'php.sock');
  const configuration = join(home, 'fpm.conf');
  const user = isRoot ? 'user = root\ngroup = root\n' : '';
  await writeFile(
    configuration,
    `[global]
error_log = ${join(home, 'fpm.log')}
daemonize = no
[www]
${user}listen = ${socket}
listen.mode = 0666
pm = static
pm.max_children = 6
php_admin_value[memory_limit] = ${memoryLimit}
php_admin_value[upload_max_filesize] = 64M
php_admin_value[post_max_size] = 64M
php_admin_value[opcache.revalidate_freq] = 0
`,
  );
  const args = ['-F', '-y', configuration, ...(isRoot ? ['-R'] : [])];
  const { child, stop } = startProgram(programPath('PHP_FPM'), args, join(home, 'fpm-output.log'));
  return {
    socket,
    killWorkers() {
      const workers = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim();
      for (const pid of workers.split(' ').filter(Boolean)) process.kill(Number(pid), 'SIGKILL');
    },
    stop,
  };
}

/** Waits until a server before PHP-FPM responds. @throws Error with its messages if it exits first */
export async function whenServing(options: { url: string; server: Program; fpm: Fpm; log: string }): Promise<Served> {
  const { url, server, fpm, log } = options;
  const stop = async () => {
    await Promise.all([server.stop(), fpm.stop()]);
  };
  try {
    await answers(url, server.child);
  } catch (error) {
    await stop();
    throw new Error(`${(error as Error).message}\n${readFileSync(log, 'utf8')}`);
  }
  return { killPhp: fpm.killWorkers, stop };
}
