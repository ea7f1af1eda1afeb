import { readFileSync } from 'node:fs';
import semver from 'semver';
import { describe, expect, it } from 'vitest';

interface LockedPackage {
  version?: string;
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
  const read = (folder: string) =>
    JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')) as {
      version: string;
      workspaces?: string[];
      dependencies?: Record<string, string>;
    };
  const { version, workspaces = [] } = read('.');

  it('have the version of the whole, and want each other at that version', () => {
    expect(workspaces.length).toBeGreaterThan(0);
    const versions = workspaces
      .map(read)
      .flatMap((manifest) => [
        manifest.version,
        ...Object.entries(manifest.dependencies ?? {}).flatMap(([name, range]) =>
          name.startsWith('@imagewright/') ? [range] : [],
        ),
      ]);
    expect(new Set(versions)).toEqual(new Set([version]));
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
