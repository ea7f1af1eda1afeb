import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { SourceMap, type SourceMapping } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, it } from 'vitest';

const dataDir = mkdtempSync(join(tmpdir(), 'imagewright-source-maps-'));
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

it('an error of the built service names the source line that threw it', () => {
  mkdirSync(join(dataDir, 'secrets'));
  writeFileSync(join(dataDir, 'secrets/api-key-pepper'), 'damaged');
  const { PATH, HOME } = process.env;
  const { stderr, status } = spawnSync(process.execPath, ['server/start.mjs'], {
    encoding: 'utf8',
    env: { PATH, HOME, DATA_DIR: dataDir, PORT: '0' },
  });
  expect(status).toBe(1);
  const [, file = '', line = ''] = /\bat .*?([^\s(]*server\/accounts\/pepper\.ts):(\d+):\d+/.exec(stderr) ?? [];
  expect(file.replace('file://', ''), stderr).toBe(resolve('server/accounts/pepper.ts'));
  expect(lineOf('server/accounts/pepper.ts', Number(line))).toMatch(/throw new Error\(.* is damaged/);
});

it('every throw of the built service maps to the line of its source that throws the same', () => {
  const wrong: string[] = [];
  let checked = 0;
  for (const path of builtFiles('dist/server')) {
    const throwing = linesOf(path).flatMap((text, index) => {
      const [thrown] = /\bthrow (new )?[\w.]+\(/.exec(text) ?? [];
      return thrown ? [{ index, column: text.indexOf(thrown), thrown }] : [];
    });
    // A file of re-exports has no map.
    if (throwing.length === 0) continue;
    const map = new SourceMap(JSON.parse(readFileSync(`${path}.map`, 'utf8')));
    for (const { index, column, thrown } of throwing) {
      const entry = map.findEntry(index, column) as SourceMapping;
      const source = resolve(dirname(path), entry.originalSource);
      const original = lineOf(source, entry.originalLine + 1);
      if (!original.includes(thrown)) wrong.push(`${path}:${index + 1} -> ${source}: ${original.trim()}`);
      checked += 1;
    }
  }
  expect(wrong).toEqual([]);
  expect(checked).toBeGreaterThan(100);
});

it('every module of the built service loads by itself', () => {
  // Files called main or worker are programs, and start. Without circles, the order of the others does not matter.
  const modules = builtFiles('dist/server').filter((path) => !/(^|\/)(main|worker)\.js$/.test(path));
  const urls = modules.map((path) => pathToFileURL(resolve(path)).href);
  const script = `for (const url of ${JSON.stringify(urls)}) await import(url).catch((error) => console.error(url, error));`;
  const { stderr, status } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  expect(stderr).toBe('');
  expect(status).toBe(0);
  expect(modules.length).toBeGreaterThan(200);
});

function builtFiles(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.js'))
    .map((path) => join(directory, path));
}

function lineOf(path: string, line: number): string {
  return linesOf(path)[line - 1] ?? '';
}

function linesOf(path: string): string[] {
  return readFileSync(path, 'utf8').split('\n');
}
