import { execFile } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/**
 * Installs programs from PyPI into an environment of their own, and returns the folder of their commands; null if there is no Python 3 with
 * `venv`. `IMAGEWRIGHT_TEST_PYTHON` names such a folder that has them already.
 */
export async function pythonPrograms(packages: string[]): Promise<string | null> {
  if (process.env.IMAGEWRIGHT_TEST_PYTHON) return process.env.IMAGEWRIGHT_TEST_PYTHON;
  const run = promisify(execFile);
  const folder = await mkdtemp(join(tmpdir(), 'imagewright-python-'));
  try {
    await run('python3', ['-m', 'venv', folder]);
    await run(join(folder, 'bin', 'pip'), ['install', '--quiet', ...packages], { maxBuffer: 1 << 26 });
    return join(folder, 'bin');
  } catch {
    return null;
  }
}
