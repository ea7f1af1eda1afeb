// `npm run test:proxies`: the tests of docs/proxies.md with nginx, Caddy and Apache from the packages of Debian, unpacked and never
// installed, so it needs apt-get. Their libraries beside those packages must be on the machine; a missing one is named.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PACKAGES = ['nginx', 'caddy', 'apache2-bin', 'libapr1', 'libaprutil1'];
const project = fileURLToPath(new URL('../../', import.meta.url));
const cache = join(project, 'node_modules/.cache/debian-proxies');
const root = join(cache, 'root');

if (!existsSync(root)) {
  mkdirSync(cache, { recursive: true });
  // As this user: the one that apt-get would change to cannot write here.
  execFileSync('apt-get', ['-o', 'APT::Sandbox::User=root', '-qq', 'download', ...PACKAGES], {
    cwd: cache,
    stdio: 'inherit',
  });
  execFileSync('sh', ['-c', 'for d in *.deb; do dpkg-deb -x "$d" root; done'], { cwd: cache, stdio: 'inherit' });
}
const libraries = readdirSync(join(root, 'usr/lib')).filter((name) => name.endsWith('-linux-gnu'));
const env = {
  ...process.env,
  LD_LIBRARY_PATH: libraries.map((name) => join(root, 'usr/lib', name)).join(':'),
  IMAGEWRIGHT_TEST_NGINX: join(root, 'usr/sbin/nginx'),
  IMAGEWRIGHT_TEST_CADDY: join(root, 'usr/bin/caddy'),
  IMAGEWRIGHT_TEST_APACHE2: join(root, 'usr/sbin/apache2'),
};
const args = ['node_modules/vitest/vitest.mjs', 'run', 'test/proxies', ...process.argv.slice(2)];
process.exitCode = spawnSync(process.execPath, args, { cwd: project, stdio: 'inherit', env }).status ?? 1;
