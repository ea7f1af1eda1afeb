// Loaded before a program under test (`node --import`): its next writes fail as the file that FAULTS names says, e.g. `3 crash` or `1 full`.
import { readFileSync, writeFileSync } from 'node:fs';
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

const FILE = process.env.FAULTS ?? '';

/** Counts a write; ends the process, or throws, if it is the one that has to fail. */
function count() {
  const [left, how] = readFileSync(FILE, 'utf8').split(' ');
  if (!how) return;
  if (Number(left) > 1) return writeFileSync(FILE, `${Number(left) - 1} ${how}`);
  writeFileSync(FILE, '');
  if (how === 'full') throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
  process.kill(process.pid, 'SIGKILL');
}

const { open, rename, rm } = fs;
const handle = await open(process.execPath, 'r');
const prototype = Object.getPrototypeOf(handle);
await handle.close();
const { writeFile } = prototype;
/** Dies with half of the bytes written. @param {Uint8Array} bytes @param {any[]} rest */
prototype.writeFile = async function halfWritten(bytes, ...rest) {
  await writeFile.call(this, bytes.subarray(0, bytes.length >> 1));
  count();
  return writeFile.call(this, bytes.subarray(bytes.length >> 1), ...rest);
};
fs.open = async (path, flags, ...rest) => {
  if (flags === 'w') count();
  return open(path, flags, ...rest);
};
fs.rename = async (...names) => {
  count();
  return rename(...names);
};
fs.rm = async (...names) => {
  count();
  return rm(...names);
};
syncBuiltinESMExports();
