import { execFileSync, spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { presetSettings } from '../../../server/processing/shared/presets.ts';
import { createAccountIn, startServiceProcess } from '../../crash/service-process.ts';
import { inParallel } from '../../support/raw-request.ts';
import type { JudgedFormat } from '../quality/runs.ts';
import { cpuSecondsOf } from '../support/process-tree.ts';
import { runWorkflow } from '../support/run-workflow.ts';
import type { Encoding, Plan } from './bare-encoder.ts';

/** Seconds of one contestant for all photographs, and the files it made, by the name of the photograph. */
export interface Run {
  wall: number;
  cpu: number;
  files: Map<string, { data: Buffer; number: number }>;
}

/** The photographs, and small ones to warm up with. */
export interface Folders {
  photographs: string;
  small: string;
}

const WARM_UPS = 5;
const REQUESTS_AT_ONCE = 4;

/** Runs the service: from the first upload to the last download, its start excluded. */
export async function throughService(folders: Folders, format: JudgedFormat, search: 'on' | 'off'): Promise<Run> {
  const dataDir = await mkdtemp(join(tmpdir(), 'imagewright-peers-'));
  const env = { DATA_DIR: dataDir, LOG_LEVEL: 'info', QUALITY_SEARCH: search };
  const apiKey = await createAccountIn(env, 'bench@example.com', 1000);
  const service = await startServiceProcess(env, []);
  try {
    for (let times = 0; times < WARM_UPS; times += 1) {
      await runWorkflow(service, apiKey, folders.small, join(dataDir, 'small'), format);
    }
    const cpuBefore = cpuSecondsOf(service.pid);
    const startedAt = performance.now();
    const target = join(dataDir, 'made');
    const { results } = await runWorkflow(service, apiKey, folders.photographs, target, format);
    const run: Run = {
      wall: (performance.now() - startedAt) / 1000,
      cpu: cpuSecondsOf(service.pid) - cpuBefore,
      files: new Map(),
    };
    for (const [index, { originalFilename, quality }] of results.entries()) {
      if (typeof quality.used !== 'number')
        throw new Error(`expected a lossy ${originalFilename}, got ${quality.used}`);
      run.files.set(originalFilename, { data: await readFile(`${target}-${index}`), number: quality.used });
    }
    return run;
  } finally {
    await service.kill();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/**
 * Runs sharp in a process of its own.
 * @param numbers a number for all photographs, or the files of a run whose numbers and sharing of colours are taken
 */
export async function throughSharp(
  folders: Folders,
  format: JudgedFormat,
  numbers: number | Run['files'],
): Promise<Run> {
  const target = await mkdtemp(join(tmpdir(), 'imagewright-bare-'));
  const encodingsOf = async (folder: string): Promise<Encoding[]> =>
    Promise.all(
      (await readdir(folder)).map(async (name) => {
        const known = typeof numbers === 'number' ? undefined : numbers.get(name);
        const number = typeof numbers === 'number' ? numbers : (known?.number ?? 80);
        const settings = { ...settingsOf(format, number), ...(known ? await chromaOf(format, known.data) : {}) };
        return { source: join(folder, name), target: join(target, name), settings };
      }),
    );
  try {
    const plan: Plan = { warmUp: await encodingsOf(folders.small), files: await encodingsOf(folders.photographs) };
    await writeFile(join(target, 'plan.json'), JSON.stringify(plan));
    const script = fileURLToPath(new URL('./bare-encoder.ts', import.meta.url));
    const output = execFileSync(process.execPath, ['--import', 'tsx', script, join(target, 'plan.json')]);
    const files: Run['files'] = new Map();
    for (const name of await readdir(folders.photographs)) {
      files.set(name, { data: await readFile(join(target, name)), number: 0 });
    }
    return { ...(JSON.parse(output.toString()) as { wall: number; cpu: number }), files };
  } finally {
    await rm(target, { recursive: true, force: true });
  }
}

function settingsOf(format: JudgedFormat, quality: number): Encoding['settings'] {
  const settings = presetSettings(format, 'high');
  if (!('quality' in settings)) throw new Error(`expected a format with numbers, got ${format}`);
  return { ...settings, quality };
}

async function chromaOf(format: JudgedFormat, data: Buffer) {
  if (format === 'webp') return {};
  const { chromaSubsampling } = await sharp(data).metadata();
  return { chromaSubsampling: chromaSubsampling === '4:4:4' ? ('4:4:4' as const) : ('4:2:0' as const) };
}

/** Runs IPX over HTTP. @param ipx the folder of a package that IPX is installed in */
export async function throughIpx(ipx: string, folders: Folders, format: JudgedFormat, number: number): Promise<Run> {
  const script = fileURLToPath(new URL('./ipx-server.mjs', import.meta.url));
  const start = async (folder: string) => {
    const child = spawn(process.execPath, [script, folder], { cwd: ipx, stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
    const port = await new Promise<string>((resolve, reject) => {
      child.stdout?.once('data', (text: Buffer) => resolve(`${text}`.trim()));
      child.once('exit', (code) => reject(new Error(`IPX ended with ${code}`)));
    });
    const get = async (name: string) => {
      const response = await fetch(`http://127.0.0.1:${port}/f_${format},q_${number}/${name}`);
      if (!response.ok) throw new Error(`IPX answered ${response.status} for ${name}`);
      return Buffer.from(await response.arrayBuffer());
    };
    return { child, get };
  };
  const { child, get } = await start(folders.photographs);
  try {
    const names = await readdir(folders.photographs);
    await get(names[0] ?? '');
    const cpuBefore = cpuSecondsOf(child.pid ?? 0);
    const startedAt = performance.now();
    const files: Run['files'] = new Map();
    await inParallel(names, REQUESTS_AT_ONCE, async (name) => {
      files.set(name, { data: await get(name), number });
    });
    return { wall: (performance.now() - startedAt) / 1000, cpu: cpuSecondsOf(child.pid ?? 0) - cpuBefore, files };
  } finally {
    child.kill();
  }
}
