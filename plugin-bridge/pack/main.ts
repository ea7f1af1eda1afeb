// `npm run pack`: makes the packages of a release in `dist/packages`; with names, those packages alone. Publishes nothing: see docs/releasing.md.
import { execFileSync } from 'node:child_process';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildPlugin } from '../wordpress/build/build-plugin.ts';
import { type Declarations, readDeclarations } from './declarations.ts';
import { PACKAGES, type Recipe } from './packages.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const output = join(root, 'dist', 'packages');
const { version, repository } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
  version: string;
  repository?: object;
};

execFileSync(process.execPath, [join(root, 'server/start.mjs'), 'build'], { stdio: 'inherit' });
await rm(output, { recursive: true, force: true });
await mkdir(output, { recursive: true });
const names = process.argv.slice(2);
const manifests = await Promise.all(PACKAGES.map(({ workspace }) => readManifest(workspace)));
const wanted = PACKAGES.filter((_, index) => names.length === 0 || names.includes(manifests[index]?.name ?? ''));
const declarations = readDeclarations(wanted.flatMap(({ types }) => types));
for (const recipe of wanted) await pack(recipe, declarations);
if (names.length === 0) await packOthers();

/** Adds the API's document, the plugin for WordPress, and the bill of materials. */
async function packOthers(): Promise<void> {
  await cp(join(root, 'docs/openapi.json'), join(output, 'imagewright-openapi.json'));
  const { zip } = await buildPlugin();
  await cp(zip, join(output, 'imagewright.zip'));
  const bill = [
    'sbom',
    '--sbom-format',
    'cyclonedx',
    '--sbom-type',
    'application',
    '--omit',
    'dev',
    '--package-lock-only',
  ];
  await writeFile(join(output, 'imagewright-sbom.json'), execFileSync('npm', bill, { cwd: root }));
}

/** Puts a package together in a folder of its name, and packs that beside it. */
async function pack({ workspace, copies, types, texts, finish }: Recipe, { write }: Declarations): Promise<void> {
  const manifest = await readManifest(workspace);
  const folder = join(output, manifest.name.replace(/^@/, '').replace('/', '-'));
  for (const [target, source] of Object.entries(copies)) {
    await cp(join(root, source), join(folder, target), {
      recursive: true,
      filter: (path) => !path.endsWith('.fingerprint'),
    });
  }
  for (const [name, text] of Object.entries(texts?.(version) ?? {})) await writeFile(join(folder, name), text);
  await mkdir(folder, { recursive: true });
  await finish?.(folder, join(root, 'dist'));
  await write(types, folder);
  await cp(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  await cp(join(root, workspace, 'README.md'), join(folder, 'README.md'));
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  execFileSync('npm', ['pack', '--ignore-scripts', '--pack-destination', output], { cwd: folder, stdio: 'ignore' });
  console.log(`dist/packages: ${manifest.name} ${version}`);
}

/**
 * Reads the manifest of a package: with what `publishConfig` says and the repository of the root, and without what only the
 * checkout needs.
 */
async function readManifest(workspace: string): Promise<{ name: string }> {
  const text = await readFile(join(root, workspace, 'package.json'), 'utf8');
  const {
    publishConfig,
    devDependencies: _development,
    ...rest
  } = JSON.parse(text) as {
    name: string;
    publishConfig: object;
    devDependencies?: object;
  };
  return { ...rest, ...(repository && { repository: { ...repository, directory: workspace } }), ...publishConfig };
}
