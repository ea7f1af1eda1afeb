import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Downloads packages of a release of Debian with apt-get into `folder`, which is emptied before, and unpacks them into its `root`,
 * installing nothing. The machine may have another release: its sources are read with the name of this one.
 * @returns the path of `root`
 * @throws Error if there is no apt-get, no network or no such package
 */
export function unpackDebianPackages(
  suite: string,
  names: readonly string[],
  { folder, dependencies = false }: { folder: string; dependencies?: boolean },
): string {
  rmSync(folder, { recursive: true, force: true });
  for (const path of ['lists/partial', 'cache/archives/partial', 'packages', 'root']) {
    mkdirSync(join(folder, path), { recursive: true });
  }
  writeFileSync(join(folder, 'debian.sources'), sourcesOf(suite));
  const options = {
    'Dir::Etc::SourceList': join(folder, 'debian.sources'),
    'Dir::Etc::SourceParts': '/dev/null',
    'Dir::State::Lists': join(folder, 'lists'),
    'Dir::Cache': join(folder, 'cache'),
  };
  const flags = Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  const apt = (...args: string[]) =>
    execFileSync('apt-get', [...flags, '-qq', ...args], { cwd: join(folder, 'packages'), stdio: 'inherit' });
  apt('update');
  apt('download', ...(dependencies ? withDependencies(names, flags) : names));
  execFileSync('sh', ['-c', 'for d in packages/*.deb; do dpkg-deb -x "$d" root; done'], { cwd: folder });
  return join(folder, 'root');
}

function sourcesOf(suite: string): string {
  const sources = readFileSync('/etc/apt/sources.list.d/debian.sources', 'utf8');
  // The unstable release has no updates and no security archive: only its main part.
  const stanzas = sources.split('\n\n').filter((part) => suite !== 'sid' || !part.includes('-security'));
  const release = /^Suites: (\w+)/m.exec(sources)?.[1] ?? 'bookworm';
  return stanzas
    .join('\n\n')
    .replaceAll(release, suite)
    .replace(/^(Suites: sid).*$/gm, '$1');
}

/** Adds all packages that these need to run. */
function withDependencies(names: readonly string[], flags: readonly string[]): string[] {
  const unwanted = ['recommends', 'suggests', 'conflicts', 'breaks', 'replaces', 'enhances'].map(
    (kind) => `--no-${kind}`,
  );
  const tree = execFileSync('apt-cache', [...flags, 'depends', '--recurse', ...unwanted, ...names], {
    encoding: 'utf8',
  });
  return [...new Set(tree.split('\n').filter((line) => /^[a-z0-9]/.test(line)))];
}
