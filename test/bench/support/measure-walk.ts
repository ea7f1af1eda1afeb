import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { clientOf, createAccountIn, type ServiceProcess, startServiceProcess } from '../../crash/service-process.ts';

const ROOT = new URL('../../../', import.meta.url);
const MAIN = fileURLToPath(new URL('server/main.ts', ROOT));
const PROBE = fileURLToPath(new URL('walk-probe.mjs', import.meta.url));
const PHOTOGRAPH = 'photos/photo-stream.jpg';
/** Time in which everything that a service does by itself runs at least once, in milliseconds. */
const IDLE_MS = 5000;

/** A function of the service, by its file and its offsets there. */
interface FunctionRange {
  url: string;
  start: number;
  end: number;
}

/** The files that one export runs. */
export interface Walk {
  /** In the order of their first call, from the root of the project. */
  files: string[];
  /** Functions that ran. */
  functions: number;
}

/**
 * Measures which files of the service process one export of one image runs: from the request to the last event of its stream and
 * the bytes of its file. Functions that an idle service runs as well, and code that is only loaded, do not count.
 */
export async function measureWalk(): Promise<Walk> {
  const dataDir = await mkdtemp(join(tmpdir(), 'imagewright-walk-'));
  try {
    const env = { DATA_DIR: dataDir };
    const keys = [await createAccountIn(env, 'one@example.com', 10), await createAccountIn(env, 'two@example.com', 10)];
    const service = await startServiceProcess(env, ['--import', 'tsx', '--import', PROBE], { program: MAIN });
    try {
      return await walk(service, keys);
    } finally {
      await service.kill();
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Exports twice, once to find the functions and once, by another account, to learn their order. */
async function walk(service: ServiceProcess, [first = '', second = '']: string[]): Promise<Walk> {
  const exportFirst = await uploaded(service, first);
  await ask(service, 'ran');
  await sleep(IDLE_MS);
  const idle = new Set((await ask<FunctionRange[]>(service, 'ran')).map(keyOf));
  await exportFirst();
  const ran = (await ask<FunctionRange[]>(service, 'ran')).filter((place) => !idle.has(keyOf(place)));
  const exportSecond = await uploaded(service, second);
  await ask(service, 'watch', ran);
  await exportSecond();
  const order = await ask<string[]>(service, 'order');
  const urls = new Set([...order, ...ran.map(({ url }) => url)]);
  return { files: [...urls].map((url) => new URL(url).pathname.slice(ROOT.pathname.length)), functions: ran.length };
}

/** Uploads a photograph and returns its export: the stream to its last event, and the bytes of the file. */
async function uploaded(service: ServiceProcess, apiKey: string): Promise<() => Promise<void>> {
  const api = clientOf(service, apiKey);
  const upload = await api.upload([PHOTOGRAPH]);
  return async () => {
    const { last } = await api.run('export', upload, { format: 'webp' });
    const [result] = last.data.results ?? [];
    const url = result && 'variants' in result ? result.variants[0]?.url : undefined;
    if (!url) throw new Error(`expected an exported file, got ${JSON.stringify(last)}`);
    const response = await api.request(url);
    if (!response.ok || (await response.arrayBuffer()).byteLength === 0) throw new Error(`no file: ${response.status}`);
  };
}

async function ask<T>(
  { child }: ServiceProcess,
  name: 'ran' | 'watch' | 'order',
  ranges: FunctionRange[] = [],
): Promise<T> {
  child.send({ name, places: ranges });
  const [reply] = await once(child, 'message');
  return reply as T;
}

function keyOf({ url, start }: FunctionRange): string {
  return `${url}:${start}`;
}
