import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, parse } from 'node:path';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { envOutside } from '../../support/install-packages.ts';

/** vite-plugin-image-optimizer in a site whose images are WebP files without loss: it keeps the format of an image. */
export interface Peer {
  /** Builds the site with a number for all images; each number once. Returns a file by the name of its image. */
  build(number: number): Promise<{ seconds: number; read: (image: string) => Promise<Buffer> }>;
  close(): Promise<void>;
}

const SCRIPT = `
import { build } from 'vite';
import { ViteImageOptimizer } from 'vite-plugin-image-optimizer';
const [root, outDir, number] = process.argv.slice(1);
const plugins = [ViteImageOptimizer({ webp: { quality: Number(number) }, logStats: false })];
await build({ root, configFile: false, logLevel: 'error', plugins, build: { outDir } });
`;

/**
 * Makes the site.
 * @param installed folder of a package that Vite, the plugin and sharp are installed in
 * @param images folder of the images
 */
export async function openPeer(installed: string, images: string): Promise<Peer> {
  const root = await mkdtemp(join(tmpdir(), 'imagewright-peer-'));
  await mkdir(join(root, 'public'));
  await writeFile(join(root, 'index.html'), '<!doctype html><title>Images</title>');
  for (const name of await readdir(images)) {
    await sharp(join(images, name))
      .webp({ lossless: true, exact: true, effort: 0 })
      .toFile(join(root, 'public', `${parse(name).name}.webp`));
  }
  const builds = new Map<number, ReturnType<Peer['build']>>();
  return {
    build(number) {
      const built = builds.get(number) ?? buildWith(installed, root, number);
      builds.set(number, built);
      return built;
    },
    close: () => rm(root, { recursive: true, force: true }),
  };
}

async function buildWith(installed: string, root: string, number: number): ReturnType<Peer['build']> {
  const folder = `dist-${number}`;
  const startedAt = performance.now();
  const words = ['--input-type=module', '-e', SCRIPT, root, folder, `${number}`];
  const { stderr } = await promisify(execFile)(process.execPath, words, { cwd: installed, env: envOutside() });
  // The plugin reports what it cannot encode, and leaves it as it is.
  if (stderr) throw new Error(`vite-plugin-image-optimizer: ${stderr}`);
  const seconds = (performance.now() - startedAt) / 1000;
  console.log(`  the peer with ${number}: ${seconds.toFixed(1)} s`);
  return { seconds, read: (image) => readFile(join(root, folder, `${parse(image).name}.webp`)) };
}
