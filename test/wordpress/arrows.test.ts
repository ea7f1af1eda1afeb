import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import {
  cycles,
  FOLDERS,
  forbiddenArrows,
  namedClasses,
  ROOT,
  readClasses,
  unusedPermissions,
} from './check/arrows.ts';
import { wrongCalls } from './check/calls.ts';

const PLUGIN = new URL('../../plugin-bridge/wordpress/', import.meta.url);
const classes = readClasses();

/** Classes without objects: constants, errors and words, which remember nothing and ask neither database nor settings. */
const WITHOUT_OBJECTS = ['Imagewright_Contract', 'Imagewright_Rest_Errors', 'Imagewright_Status_Text'];

/** Writes PHP files into a folder and reads their classes. */
async function classesOf(files: Record<string, string>) {
  const root = await mkdtemp(join(tmpdir(), 'imagewright-arrows-'));
  onTestFinished(() => rm(root, { recursive: true }));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(join(root, name, '..'), { recursive: true });
    await writeFile(join(root, name), `<?php\n${text}`);
  }
  return readClasses(root);
}

it('classes name others of the folders that the table allows, and every permission is needed', () => {
  expect(classes.length).toBeGreaterThan(70);
  expect(forbiddenArrows(classes)).toEqual([]);
  expect(unusedPermissions(classes)).toEqual([]);
  expect([...new Set(classes.map(({ folder }) => folder))].filter(Boolean).sort()).toEqual(Object.keys(FOLDERS).sort());
});

it('no classes name each other in a circle', () => {
  expect(cycles(classes)).toEqual([]);
});

it('only the composition root makes objects, and no class asks it for one', () => {
  const made = classes.flatMap(({ name, code }) =>
    [...code.matchAll(/\bnew (?:self|static|Imagewright_\w+)/g)].map(([found]) => `${name}: ${found}`),
  );
  expect(made).toEqual([`${ROOT}: new Imagewright_Hooks`]);
  const asking = classes.filter(
    ({ name, code }) => name !== ROOT && /\bimagewright\(|\bImagewright_Plugin\b/.test(code),
  );
  expect(asking).toEqual([]);
  const named = [...namedClasses(classes)].filter(([, names]) => names.includes(ROOT));
  expect(named).toEqual([]);
});

it('methods belong to objects, apart from those of classes that have none', () => {
  const odd = classes
    .filter(({ name }) => !WITHOUT_OBJECTS.includes(name))
    .flatMap(({ name, code }) =>
      [...code.matchAll(/static function (\w+)\(|static \$(\w+)/g)].map(
        ([, method, field]) => `${name}: ${method ?? field}`,
      ),
    )
    .filter((found) => !found.endsWith(': register') && found !== 'Imagewright_Query: table');
  expect(odd).toEqual([]);
  const objects = classes.filter(({ name, code }) => WITHOUT_OBJECTS.includes(name) && /\$this\b|\$wpdb\b/.test(code));
  expect(objects.map(({ name }) => name)).toEqual([]);
});

it('classes call what others have, and every method has a caller', async () => {
  const entries = await Promise.all(
    ['imagewright.php', 'uninstall.php'].map((name) => readFile(new URL(name, PLUGIN), 'utf8')),
  );
  expect(wrongCalls(classes, entries.join('\n'))).toEqual([]);
});

it('a call of a method that a class does not have, or keeps to itself, is found', async () => {
  const found = await classesOf({
    'A/class-imagewright-base.php': 'abstract class Imagewright_Base { const B = 1; protected function from() {} }',
    'A/class-imagewright-one.php':
      'class Imagewright_One extends Imagewright_Base { private Imagewright_Two $two; public function a() { $this->from(); $this->gone(); $this->two->own(); $this->two->seen(); self::B; self::C; $this->nothing; } }',
    'A/class-imagewright-two.php':
      'class Imagewright_Two { private function own() {} public function seen() {} public function idle() {} }',
  });
  expect(wrongCalls(found, 'f()->a();')).toEqual([
    'Imagewright_One: gone()',
    'Imagewright_One: $this->two->own()',
    'Imagewright_One: self::C',
    'Imagewright_One: $this->nothing',
    'Imagewright_Two: idle() is not used',
  ]);
});

it('constructors take objects by their classes', () => {
  for (const { name, code } of classes) {
    const parameters = /function __construct\(([^)]*)\)/.exec(code)?.[1]?.trim() ?? '';
    for (const parameter of parameters === '' ? [] : parameters.split(',')) {
      expect([name, parameter.trim()]).toEqual([
        name,
        expect.stringMatching(name === 'Imagewright_Hooks' ? /^callable \$objects$/ : /^Imagewright_\w+ \$\w+$/),
      ]);
    }
  }
});

it('the class of a command has no public method that is not one: WP-CLI would make a command of it', () => {
  const { code = '' } = classes.find(({ name }) => name === 'Imagewright_Cli') ?? {};
  const methods = [...code.matchAll(/public function (\w+)\(/g)].map(([, method]) => method);
  expect(methods).toEqual(['__construct', 'status', 'optimize', 'restore']);
});

it('a forbidden arrow, a circle and an unknown folder are found, and names in comments do not count', async () => {
  const found = await classesOf({
    'Service/class-imagewright-low.php':
      "class Imagewright_Low {\n// Imagewright_High\nconst A = 'https://x'; /* Imagewright_High */ }",
    'Media/class-imagewright-high.php': 'class Imagewright_High { public function a() { return Imagewright_Low::A; } }',
    'Media/class-imagewright-one.php':
      "class Imagewright_One { public function a() { return array( 'Imagewright_Two', 'b' ); } }",
    'Media/class-imagewright-two.php': 'class Imagewright_Two { private Imagewright_One $one; }',
    'Odd/class-imagewright-odd.php': 'class Imagewright_Odd { private Imagewright_One $one; }',
  });
  const folders = { Service: [], Media: [] };
  expect(forbiddenArrows(found, folders)).toEqual([
    'Media/Imagewright_High -> Service/Imagewright_Low',
    'Odd is not a folder of the table',
  ]);
  expect(cycles(found)).toEqual([['Imagewright_One', 'Imagewright_Two']]);
  expect(unusedPermissions(found, { Media: ['Service'], Service: ['Media'] })).toEqual(['Service -> Media']);
});
