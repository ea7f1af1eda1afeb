import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { measureProcessorTime } from '../../server/processing/processor-time.ts';

/** Starts a Node process that answers each line with a line, after it ran the code. */
async function startProcess(code: string) {
  const child = spawn(process.execPath, ['-e', `process.stdin.on('data', () => { ${code}; console.log('done'); })`]);
  onTestFinished(async () => {
    child.kill('SIGKILL');
  });
  const work = async () => {
    child.stdin.write('work\n');
    await once(child.stdout, 'data');
  };
  // The start uses the processor too.
  await work();
  return { child, work };
}

describe('measureProcessorTime', () => {
  it('counts what the process works', async () => {
    const { child, work } = await startProcess(
      'const end = process.cpuUsage().user + 3e5; while (process.cpuUsage().user < end);',
    );
    const usedMs = measureProcessorTime(child.pid ?? 0);
    await work();
    expect(usedMs()).toBeGreaterThanOrEqual(280);
  });

  it.runIf(process.platform === 'linux')('does not count what it waits, and ends with the process', async () => {
    const { child } = await startProcess('');
    const usedMs = measureProcessorTime(child.pid ?? 0);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(usedMs()).toBeLessThan(500);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(usedMs()).toBe(0);
  });
});
