import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const SCRIPT = fileURLToPath(new URL('command-line.php', import.meta.url));

/** Evaluates PHP inside of WordPress in a process of its own. @throws Error if it fails */
export async function runCommand<T>(options: {
  php: string;
  www: string;
  host: string;
  memoryLimit: string;
  code: string;
  values: Record<string, unknown>;
}): Promise<T> {
  const { php, www, host, memoryLimit, code, values } = options;
  const limits = { memory_limit: memoryLimit, display_errors: 'stderr', error_log: '/dev/stderr' };
  const settings = Object.entries(limits).flatMap(([name, value]) => ['-d', `${name}=${value}`]);
  const child = spawn(php, [...settings, SCRIPT, www, host], { stdio: ['pipe', 'pipe', 'pipe'] });
  let [output, errors] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    errors += text;
  });
  child.stdin.end(JSON.stringify({ code, values }));
  const status = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const last = output.trim().split('\n').at(-1) ?? '';
  const answer = status === 0 ? (JSON.parse(last) as { result: T; error?: string }) : null;
  if (!answer || answer.error)
    throw new Error(`PHP failed (${status}): ${answer?.error ?? `${errors}${output}`.slice(-2000)}`);
  return answer.result;
}
