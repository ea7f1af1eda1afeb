import { fork } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { wasmPhp } from './packages.ts';
import { end } from './serve-native.ts';
import type { Constants } from './site-config.ts';
import { wasmNode } from './wasm-node.ts';

const SCRIPT = fileURLToPath(new URL('../playground/serve.mjs', import.meta.url));

/** Installs and serves WordPress with PHP as WebAssembly. Returns a function that stops it. */
export async function servePlayground(options: {
  www: string;
  plugin: string;
  port: number;
  constants: Constants;
  workers?: number;
}): Promise<() => Promise<void>> {
  const { www, plugin, port, constants, workers = 2 } = options;
  const pick = (wanted: (value: unknown) => boolean) =>
    Object.fromEntries(Object.entries(constants).filter(([, value]) => wanted(value)));
  const { version, folder } = wasmPhp();
  const configuration = {
    ...{ php: version, packages: join(folder, 'node_modules'), port, tree: www, plugin, workers },
    constants: pick((value) => typeof value === 'boolean'),
    strings: pick((value) => typeof value === 'string'),
  };
  // Playground leaves 60 MB there. They are removed with the site.
  const temporary = join(www, '../tmp');
  await mkdir(temporary);
  const server = fork(SCRIPT, [JSON.stringify(configuration)], {
    detached: true,
    execPath: await wasmNode(folder),
    execArgv: [],
    env: { ...process.env, TMPDIR: temporary },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const log = createWriteStream(join(www, '../server.log'));
  server.stdout?.pipe(log, { end: false });
  server.stderr?.pipe(log, { end: false });
  await new Promise<void>((resolve, reject) => {
    server.once('message', () => resolve());
    server.once('exit', () =>
      reject(new Error(`Playground ended before it served; see ${join(www, '../server.log')}`)),
    );
  });
  return () => end(server);
}
