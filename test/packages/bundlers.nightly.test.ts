import { createHash } from 'node:crypto';
import { copyFile, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { FIXTURES } from '../support/api-client.ts';
import { blockOf } from '../support/documents.ts';
import { createEmptyProject, type EmptyProject, packAll } from './empty-project.ts';

const QUERY = '?imagewright&widths=160&formats=avif;webp';

/** Programs that build `main.js` into `dist/<name>/main.js`, a module for Node. */
const BUILDS = {
  vite: `
    import { build } from 'vite';
    await build({ logLevel: 'silent', plugins: [imagewright.vite()], build: { outDir: 'dist/vite', rollupOptions: { input: 'main.js',
      preserveEntrySignatures: 'strict', output: { entryFileNames: 'main.js' } } } });`,
  rollup: `
    import { rollup } from 'rollup';
    const bundle = await rollup({ input: 'main.js', plugins: [imagewright.rollup()] });
    await bundle.write({ dir: 'dist/rollup' });
    await bundle.close();`,
  webpack: `
    import webpack from 'webpack';
    import { promisify } from 'node:util';
    const compiler = webpack(configOf('webpack', imagewright.webpack()));
    check(await promisify(compiler.run.bind(compiler))());
    await promisify(compiler.close.bind(compiler))();`,
  rspack: `
    import { rspack } from '@rspack/core';
    import { promisify } from 'node:util';
    const compiler = rspack(configOf('rspack', imagewright.rspack()));
    check(await promisify(compiler.run.bind(compiler))());
    await promisify(compiler.close.bind(compiler))();`,
};

/** Configuration of webpack and Rspack whose own rules make assets of pictures. */
const WEBPACK = `
    const configOf = (name, plugin) => ({
      mode: 'production', target: 'web', entry: './main.js', context: process.cwd(), experiments: { outputModule: true },
      output: { path: process.cwd() + '/dist/' + name, filename: 'main.js', publicPath: '/site/', module: true, library: { type: 'module' } },
      module: { rules: [{ test: /\\.jpg$/, type: 'asset', generator: { filename: 'pictures/[hash][ext]' } }] },
      plugins: [plugin],
    });
    function check(stats) { if (stats.hasErrors()) throw new Error(stats.toString('errors-only')); }`;

let project: EmptyProject;
beforeAll(async () => {
  const archives = await packAll();
  project = await createEmptyProject();
  const ours = ['imagewright-engine', 'imagewright-unplugin'].map((name) => archives[name] ?? name);
  await project.install([...ours, 'vite@8', 'rollup@4', 'webpack@5', '@rspack/core@1', 'react@19', 'react-dom@19']);
  await sharp(join(FIXTURES, 'photos', 'photo-brushes.jpg'))
    .resize(320)
    .jpeg({ quality: 95 })
    .toFile(join(project.folder, 'beach.jpg'));
  await writeFile(join(project.folder, 'main.js'), `import image from './beach.jpg${QUERY}';\nexport default image;\n`);
  for (const [name, text] of Object.entries(BUILDS)) {
    const head = `import * as imagewright from '@imagewright/unplugin';\n${/pack/.test(name) ? WEBPACK : ''}`;
    await writeFile(join(project.folder, `${name}.mjs`), `${head}${text}\nprocess.exitCode = 0;\n`);
  }
});
afterAll(() => rm(project.folder, { recursive: true, force: true }));

/** Returns the hashes of the pictures that a build has written. */
async function hashesOf(name: string): Promise<string[]> {
  const folder = join(project.folder, 'dist', name);
  const files = (await readdir(folder, { recursive: true })).filter((file) => /\.(avif|webp|jpg)$/.test(file));
  const hashes = files.map(async (file) =>
    createHash('sha256')
      .update(await readFile(join(folder, file)))
      .digest('hex'),
  );
  return (await Promise.all(hashes)).sort();
}

it('Vite, Rollup, webpack and Rspack emit the same files and give their addresses', async () => {
  const made: Record<string, string[]> = {};
  for (const name of Object.keys(BUILDS)) {
    await project.node(`${name}.mjs`);
    made[name] = await hashesOf(name);
    const main = join(project.folder, 'dist', name, `read-${name}.mjs`);
    await copyFile(join(project.folder, 'dist', name, 'main.js'), main);
    const { default: image } = await import(pathToFileURL(main).href);
    expect({ name, ...image }).toMatchObject({
      ...{ name, width: 320, height: expect.any(Number), score: expect.any(Number), placeholder: expect.any(String) },
      src: expect.stringMatching(/assets\/beach[\w.-]+\.webp$/),
      srcset: expect.stringMatching(/assets\/beach[\w.-]+\.webp 320w, \S+\/beach-160w[\w.-]+\.webp 160w$/),
      sources: [{ type: 'image/avif', srcset: expect.stringMatching(/\.avif 320w, \S+\.avif 160w$/) }],
    });
  }
  expect(made.vite).toHaveLength(4);
  for (const name of Object.keys(BUILDS)) expect({ name, files: made[name] }).toEqual({ name, files: made.vite });
});

it('a second build is done within a second', async () => {
  const script = `
    const build = async () => import('./rollup.mjs?' + Math.random());
    await build();
    const startedAt = performance.now();
    await build();
    console.log(performance.now() - startedAt);`;
  await writeFile(join(project.folder, 'twice.mjs'), script);
  expect(Number(await project.node('twice.mjs'))).toBeLessThan(1000);
});

it('docs/unplugin.md: the configuration and the component build as they stand there', async () => {
  const component = blockOf('docs/unplugin.md', 'import beach from');
  await writeFile(join(project.folder, 'vite.config.js'), blockOf('docs/unplugin.md', '// vite.config.js'));
  await writeFile(join(project.folder, 'beach.jsx'), component);
  const page = `import { createElement } from 'react';
    import { renderToStaticMarkup } from 'react-dom/server';
    import { Beach } from './beach.jsx';
    console.log(renderToStaticMarkup(createElement(Beach)));`;
  await writeFile(join(project.folder, 'page.js'), page);
  await writeFile(
    join(project.folder, 'build-page.mjs'),
    `import { build } from 'vite';
    await build({ logLevel: 'silent', build: { ssr: 'page.js', outDir: 'dist/page' } });
    await import('./dist/page/page.js');`,
  );
  const html = await project.node('build-page.mjs');
  expect(html).toMatch(/<picture><source type="image\/avif" srcSet="[^"]+ 320w" sizes="50vw"\/><img src="[^"]+\.webp"/);
});
