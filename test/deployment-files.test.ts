import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const COMPOSE = readFileSync('compose.yaml', 'utf8');

it.for(['imagewright', 'mongo'])('the container %s has no rights and bounds that it does not need', (name) => {
  const [, service = ''] = new RegExp(`^  ${name}:\\n((?:    .*\\n|\\n)+)`, 'm').exec(COMPOSE) ?? [];
  expect(service).toMatch(/^ {4}user: "\d+:\d+"$/m);
  for (const line of ['read_only: true', 'cap_drop: [ALL]', '- no-new-privileges:true', '- /tmp:mode=1777,size=256m']) {
    expect(service).toContain(line);
  }
  expect(service).toMatch(/^ {4}mem_limit: /m);
  expect(service).toMatch(/^ {4}pids_limit: \d+$/m);
});

it('compose refuses to start without a password of the database, and gives jobs time to end', () => {
  const passwords = COMPOSE.split('\n').filter((line) => /^ +(MONGODB_URI|MONGO_INITDB_ROOT_PASSWORD):/.test(line));
  expect(passwords).toHaveLength(2);
  for (const line of passwords) expect(line).toContain('${MONGO_PASSWORD:?');
  expect(Number(/stop_grace_period: (\d+)s/.exec(COMPOSE)?.[1])).toBeGreaterThan(25);
});

it('all stages of the image use one Node, which is supported', () => {
  const dockerfile = readFileSync('Dockerfile', 'utf8');
  const stages = [...dockerfile.matchAll(/ AS (\w+)$/gm)].map(([, name]) => name);
  const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)].flatMap(([, base]) => (stages.includes(base) ? [] : [base]));
  expect(new Set(bases)).toEqual(new Set(['node:24-slim']));
});

interface Locked {
  resolved?: string;
  integrity?: string;
  optional?: boolean;
  os?: string[];
  link?: boolean;
}

/** Families of platform packages that the registry of the last `npm run lock` did not hold; none is installed on Linux with x64. */
const WITHOUT_INTEGRITY = /^node_modules\/(@biomejs\/cli-|@msgpackr-extract\/|@oxc-parser\/binding-)/;

it.for(['package-lock.json', 'test/runtimes/package-lock.json'])(
  'all packages of %s come from npm and have an integrity, but for binaries of other platforms',
  (file) => {
    const { packages } = JSON.parse(readFileSync(file, 'utf8')) as { packages: Record<string, Locked> };
    const entries = Object.entries(packages).filter(([path, { link }]) => path.includes('node_modules/') && !link);
    for (const [path, { resolved, integrity, optional, os }] of entries) {
      if (resolved)
        expect({ path, resolved }).toMatchObject({
          resolved: expect.stringMatching(/^https:\/\/registry\.npmjs\.org\//),
        });
      if (integrity) expect({ path, integrity }).toMatchObject({ integrity: expect.stringMatching(/^sha512-/) });
      else
        expect({ path, optional, os }).toMatchObject({
          path: expect.stringMatching(WITHOUT_INTEGRITY),
          optional: true,
          os: [expect.any(String)],
        });
    }
  },
);
