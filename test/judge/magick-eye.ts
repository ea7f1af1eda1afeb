import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Eye } from './chromium-eye.ts';
import { matrixProfile, SRGB } from './icc-file.ts';

const run = promisify(execFile);
/** Names of the program: the newer version, Debian's, and the older version, which other programs may be called by, too. */
const NAMES = ['magick', 'convert-im6.q16', 'convert-im7.q16', 'convert'];

/** Opens the eye of ImageMagick, with which TIFFs are seen; undefined, and said loudly, where it is not installed. */
export async function openMagickEye(): Promise<Eye | undefined> {
  const program = NAMES.find((name) => isMagick(name));
  if (!program) {
    console.warn('SKIPPED: ImageMagick is not installed, so no TIFF is compared with what another program shows.');
    return undefined;
  }
  const folder = await mkdtemp(join(tmpdir(), 'imagewright-eye-'));
  const profile = join(folder, 'srgb.icc');
  await writeFile(profile, matrixProfile(SRGB));
  let count = 0;
  return {
    async see(file) {
      const input = join(folder, `${count++}.tif`);
      await writeFile(input, file);
      const page = `${input}[0]`;
      const size = await run(program, [page, '-auto-orient', '-format', '%w %h', 'info:-']);
      const [width = 0, height = 0] = size.stdout.split(' ').map(Number);
      const args = [page, '-auto-orient', '-profile', profile, '-colorspace', 'sRGB', '-depth', '8', 'rgba:-'];
      const { stdout } = await run(program, args, { encoding: 'buffer', maxBuffer: 1e8 });
      return { width, height, data: stdout };
    },
    close: () => rm(folder, { recursive: true, force: true }),
  };
}

function isMagick(name: string): boolean {
  const { stdout, status } = spawnSync(name, ['-version'], { encoding: 'utf8', timeout: 10_000 });
  return status === 0 && /^Version: ImageMagick/.test(stdout);
}
