import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import semver from 'semver';
import { describe, expect, it, onTestFinished } from 'vitest';

interface LockedPackage {
  version?: string;
  dependencies?: Record<string, string>;
  resolved?: string;
  integrity?: string;
  engines?: Record<string, string> | string[];
  optionalDependencies?: Record<string, string>;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  link?: boolean;
}

const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Record<string, LockedPackage> };
/** Without the workspaces, and the links to them. */
const packages = Object.entries(lock.packages).filter(([path, { link }]) => path.includes('node_modules/') && !link);

/** Oldest supported version of Node. */
const NODE = '20.20.2';

describe('package-lock.json', () => {
  it(`contains only packages that run on Node ${NODE}`, () => {
    const unfit = packages.flatMap(([path, { engines, version }]) => {
      const range = Array.isArray(engines) ? undefined : engines?.node;
      return range === undefined || semver.satisfies(NODE, range) ? [] : [`${path}@${version} wants Node ${range}`];
    });
    expect(unfit).toEqual([]);
  });

  it('names no registry host, so that it installs from any configured one', () => {
    expect(packages.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
  });

  it('is complete for every platform, so that `npm ci` accepts it on each', () => {
    const missing = Object.entries(lock.packages).flatMap(([at, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).filter((name) => !isLocked(at, name)),
    );
    expect(missing, 'run `npm run lock`').toEqual([]);
  });

  it('has a checksum for every package that this platform installs', () => {
    const installs = ({ os, cpu, libc }: LockedPackage) =>
      (os?.includes('linux') ?? true) && (cpu?.includes('x64') ?? true) && (libc?.includes('glibc') ?? true);
    const unpinned = packages.filter(([, entry]) => !entry.integrity && installs(entry));
    expect(unpinned.map(([path]) => path)).toEqual([]);
  });
});

function isLocked(at: string, name: string): boolean {
  const nested = at === '' ? undefined : lock.packages[`${at}/node_modules/${name}`];
  return (nested ?? lock.packages[`node_modules/${name}`]) !== undefined;
}

describe('the workspaces', () => {
  interface Manifest {
    version?: string;
    workspaces?: string[];
    dependencies?: Record<string, string>;
    devDependencies?: Record<string, string>;
  }
  const read = (...path: string[]) => JSON.parse(readFileSync(join(...path), 'utf8'));
  const { version, workspaces } = read('package.json') as Required<Manifest>;
  const examples = readdirSync('examples').filter((name) => existsSync(join('examples', name, 'package.json')));

  const versionsOf = ({ version: own, dependencies, devDependencies }: Manifest) => [
    ...(own === undefined ? [] : [own]),
    ...Object.entries({ ...dependencies, ...devDependencies }).flatMap(([name, range]) =>
      name.startsWith('@imagewright/') ? [range] : [],
    ),
  ];
  /** Versions of the workspaces, by their manifests and the lock file, and of the packages that they and the examples want. */
  const versionsIn = (root: string) => {
    const { packages: locked } = read(root, 'package-lock.json') as typeof lock;
    const manifests = [...workspaces, ...examples.map((name) => join('examples', name))].map(
      (folder) => read(root, folder, 'package.json') as Manifest,
    );
    return new Set([...manifests, ...workspaces.map((folder) => locked[folder] ?? {})].flatMap(versionsOf));
  };

  it('have the version of the whole, and want each other at that version, as the examples do', () => {
    expect(workspaces.length * examples.length).toBeGreaterThan(0);
    expect(versionsIn('.')).toEqual(new Set([version]));
  });

  it('get a new one by `npm version`', () => {
    const copy = mkdtempSync(join(tmpdir(), 'imagewright-version-'));
    onTestFinished(() => rmSync(copy, { recursive: true }));
    const stated = [
      'widget/version.ts',
      'plugin-bridge/wordpress/imagewright.php',
      'plugin-bridge/wordpress/readme.txt',
    ];
    const manifests = ['', ...workspaces].map((folder) => join(folder, 'package.json'));
    for (const path of ['.ci', 'examples', 'package-lock.json', ...stated, ...manifests]) {
      cpSync(path, join(copy, path), { recursive: true });
    }
    // npm does this itself.
    writeFileSync(join(copy, 'package.json'), JSON.stringify({ ...read('package.json'), version: '98.7.6' }));
    execFileSync(process.execPath, ['.ci/stamp-version.mjs'], { cwd: copy });
    expect(versionsIn(copy)).toEqual(new Set(['98.7.6']));
    for (const path of stated) expect(readFileSync(join(copy, path), 'utf8'), path).toContain('98.7.6');
  });
});

describe('package.json', () => {
  const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Record<string, never> & {
    engines: { node: string };
    scripts: Record<string, string>;
  };

  it('runs on the Node of .nvmrc and of the image', () => {
    const pinned = readFileSync('.nvmrc', 'utf8').trim();
    expect(semver.satisfies(NODE, manifest.engines.node)).toBe(true);
    expect(semver.satisfies(NODE, pinned)).toBe(true);
    const [, image = ''] = /^FROM node:(\d+)-slim/m.exec(readFileSync('Dockerfile', 'utf8')) ?? [];
    expect(semver.satisfies(`${image}.0.0`, manifest.engines.node)).toBe(true);
  });

  it('runs no script at install time', () => {
    const atInstall = ['preinstall', 'install', 'postinstall', 'prepare', 'prepublish'];
    expect(Object.keys(manifest.scripts).filter((name) => atInstall.includes(name))).toEqual([]);
    expect(readFileSync('.npmrc', 'utf8')).toMatch(/^ignore-scripts=true$/m);
  });
});
