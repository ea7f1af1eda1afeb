import { readdirSync, readFileSync } from 'node:fs';

/** Clock ticks a second in /proc/PID/stat; 100 on every Linux that Node runs on. */
const TICKS = 100;

interface ProcessRow {
  pid: number;
  parent: number;
  cpuSeconds: number;
}

/** The processes of a tree: a process and all below it. Linux only. */
function processTree(root: number): ProcessRow[] {
  const rows = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readRow(Number(name)));
  const tree = rows.filter(({ pid }) => pid === root);
  for (const { pid } of tree) tree.push(...rows.filter(({ parent }) => parent === pid));
  return tree;
}

/** Seconds of CPU that the living processes of a tree have used. */
export function cpuSecondsOf(root: number): number {
  return processTree(root).reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0);
}

/** Seconds of CPU of the children of this process that have ended, with all that these have started and waited for. Linux only. */
export function cpuSecondsOfEnded(): number {
  const [user, system] = fieldsOf(readOrEmpty('/proc/self/stat')).slice(13);
  return (Number(user) + Number(system)) / TICKS;
}

/**
 * Memory of a tree in megabytes: `pss` counts what processes share once, `rss` once for each of them, `rootRss` is that of the
 * first process alone.
 */
export function memoryOf(root: number): { pss: number; rss: number; rootRss: number } {
  const sum = { pss: 0, rss: 0, rootRss: 0 };
  for (const { pid } of processTree(root)) {
    const text = readOrEmpty(`/proc/${pid}/smaps_rollup`);
    sum.pss += kilobytes(text, 'Pss') / 1024;
    const rss = kilobytes(text, 'Rss') / 1024;
    sum.rss += rss;
    if (pid === root) sum.rootRss = rss;
  }
  return sum;
}

function readRow(pid: number): ProcessRow[] {
  const fields = fieldsOf(readOrEmpty(`/proc/${pid}/stat`));
  if (fields.length < 14) return [];
  return [{ pid, parent: Number(fields[1]), cpuSeconds: (Number(fields[11]) + Number(fields[12])) / TICKS }];
}

/** Fields of a process after its name in brackets, which may hold anything. */
function fieldsOf(stat: string): string[] {
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

function kilobytes(text: string, field: string): number {
  return Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0);
}

/** A process may end at any moment. */
function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
