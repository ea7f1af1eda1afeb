import type { CmsHost } from '../cms-host.ts';
import {
  bytesOf,
  claim,
  claimFiles,
  claimRejects,
  claimSame,
  type HostKit,
  imageNamed,
  listAll,
  type NamedBytes,
  type ReplacementOptions,
  replacementOf,
  type World,
  type WorldTest,
} from './world.ts';

/** Replaces an image by its name. Returns its id and the bytes of its new file. */
export async function replaceNamed(host: CmsHost, kit: HostKit, image: NamedBytes, options?: ReplacementOptions) {
  const { id } = await imageNamed(host, image.name);
  const replacement = await replacementOf(kit, image, options);
  await host.replace(id, replacement);
  return { id, full: replacement.full };
}

/** Returns the first image of a kit. */
export function firstOf({ images }: HostKit): NamedBytes {
  const [image] = images;
  claim(image, 'the kit has no image');
  return image;
}

/** True if the CMS shows a file with these bytes. */
async function shows(world: World, bytes: Uint8Array): Promise<boolean> {
  const same = (one: Uint8Array) => one.length === bytes.length && one.every((byte, at) => byte === bytes[at]);
  return [...(await world.files()).values()].some(same);
}

/** Tests of replacing and restoring. */
export const replacingTests: WorldTest[] = [
  {
    name: 'replaces an image by its new file',
    async run(world, kit) {
      const { full } = await replaceNamed(world.host, kit, firstOf(kit));
      claim(await shows(world, full), 'replace: no visitor sees the new file');
    },
  },
  {
    name: 'stores every size, and restoring removes them',
    async run(world, kit) {
      const before = await world.files();
      const { id } = await replaceNamed(world.host, kit, firstOf(kit), { widths: [2, 4] });
      claim((await world.files()).size >= before.size + 2, 'replace: the sizes are missing');
      await world.host.restore(id);
      await claimFiles(world, before, 'restore');
    },
  },
  {
    name: 'restores byte for byte, under the former names',
    async run(world, kit) {
      const before = await world.files();
      for (const image of kit.images) await replaceNamed(world.host, kit, image);
      for (const { id } of await listAll(world.host)) {
        claim((await world.host.restore(id)).restored, 'restore: says that nothing was restored');
      }
      await claimFiles(world, before, 'restore');
    },
  },
  {
    name: 'restores what another page has replaced',
    async run(world, kit) {
      const before = await world.files();
      const { id } = await replaceNamed(world.host, kit, firstOf(kit));
      await (await world.reopen()).restore(id);
      await claimFiles(world, before, 'restore');
    },
  },
  {
    name: 'does nothing to restore an original, or twice',
    async run(world, kit) {
      const before = await world.files();
      const { id } = await imageNamed(world.host, firstOf(kit).name);
      claim(!(await world.host.restore(id)).restored, 'restore: says that an original was restored');
      await replaceNamed(world.host, kit, firstOf(kit));
      await world.host.restore(id);
      claim(!(await world.host.restore(id)).restored, 'restore: says that it was restored twice');
      await claimFiles(world, before, 'restore');
    },
  },
  {
    name: 'returns the original of a replaced image',
    async run({ host }, kit) {
      const image = firstOf(kit);
      const { id } = await replaceNamed(host, kit, image);
      claimSame(await bytesOf(await host.fetch(id)), image.bytes, 'fetch');
    },
  },
  {
    name: 'replaces again, and keeps the first original',
    async run(world, kit) {
      const before = await world.files();
      const image = firstOf(kit);
      const first = await replaceNamed(world.host, kit, image, { widths: [2] });
      const second = await replaceNamed(world.host, kit, image, { round: 2 });
      claim(await shows(world, second.full), 'replace: the second file is missing');
      claim(!(await shows(world, first.full)), 'replace: the first file is still there');
      await world.host.restore(second.id);
      await claimFiles(world, before, 'restore');
    },
  },
  {
    name: 'repeats a replacement whose outcome is unknown',
    async run(world, kit) {
      const before = await world.files();
      await replaceNamed(world.host, kit, firstOf(kit));
      const { id, full } = await replaceNamed(await world.reopen(), kit, firstOf(kit));
      claim(await shows(world, full), 'replace: the file is missing');
      await world.host.restore(id);
      await claimFiles(world, before, 'restore');
    },
  },
  {
    name: 'never overwrites an image that was changed since its upload',
    async run(world, kit) {
      const image = firstOf(kit);
      const { id } = await imageNamed(world.host, image.name);
      const changed = image.bytes.map((byte, at) => (at === image.bytes.length - 1 ? byte ^ 1 : byte));
      await world.overwrite(id, changed);
      await claimRejects(world.host.replace(id, await replacementOf(kit, image)), ['changed'], 'replace');
      claim(await shows(world, changed), 'replace: the changed file is gone');
    },
  },
  {
    name: 'never overwrites a file that was edited after the replacement',
    async run(world, kit) {
      const image = firstOf(kit);
      const { id } = await replaceNamed(world.host, kit, image);
      const edited = new TextEncoder().encode('edited by a person since');
      await world.overwrite(id, edited);
      await world.host.replace(id, await replacementOf(kit, image, { round: 2 })).catch(() => {});
      await world.host.restore(id).catch(() => {});
      claim(await shows(world, edited), 'the edited file is gone');
    },
  },
  {
    name: 'gives results of equal names different files',
    async run(world, kit) {
      const image = firstOf(kit);
      const twin = kit.images[1];
      claim(twin, 'the kit has one image only');
      const before = await world.files();
      const first = await replaceNamed(world.host, kit, image);
      const { id } = await imageNamed(world.host, twin.name);
      const second = await replacementOf(kit, twin);
      const stem = image.name.replace(/\.[^.]+$/, '');
      const variants = second.variants.map((variant) => ({ ...variant, filename: `${stem}.webp` }));
      await world.host.replace(id, { ...second, variants });
      claim(await shows(world, first.full), 'replace: one result has overwritten the other');
      claim(await shows(world, second.full), 'replace: the second result is missing');
      for (const one of [first.id, id]) await world.host.restore(one);
      await claimFiles(world, before, 'restore');
    },
  },
  {
    name: 'leaves an image with the same bytes as another one alone',
    async run(world, kit) {
      const image = firstOf(kit);
      const twin = kit.images[1];
      claim(twin, 'the kit has one image only');
      const { id } = await imageNamed(world.host, twin.name);
      await world.overwrite(id, image.bytes);
      await replaceNamed(world.host, kit, image);
      claim(await shows(world, image.bytes), 'replace: the other image was replaced too');
      claimSame(await bytesOf(await world.host.fetch(id)), image.bytes, 'fetch of the other image');
    },
  },
  {
    name: 'keeps two pages that replace one image apart',
    async run(world, kit) {
      const before = await world.files();
      const image = firstOf(kit);
      const { id } = await imageNamed(world.host, image.name);
      const pages = [world.host, await world.reopen()];
      const made = await Promise.all([1, 2].map((round) => replacementOf(kit, image, { round, widths: [2] })));
      const ends = await Promise.allSettled(made.map((one, at) => (pages[at] ?? world.host).replace(id, one)));
      claim(
        ends.some(({ status }) => status === 'fulfilled'),
        'replace: neither page could replace it',
      );
      await (await world.reopen()).restore(id);
      await claimFiles(world, before, 'restore');
    },
  },
  {
    name: 'keeps a page that replaces and one that restores apart',
    async run(world, kit) {
      const before = await world.files();
      const { id } = await replaceNamed(world.host, kit, firstOf(kit));
      const other = await world.reopen();
      const again = await replacementOf(kit, firstOf(kit), { round: 2 });
      await Promise.allSettled([world.host.replace(id, again), other.restore(id)]);
      await (await world.reopen()).restore(id);
      await claimFiles(world, before, 'restore');
    },
  },
  {
    name: 'replaces and restores 200 images',
    images: 200,
    async run(world, kit) {
      const before = await world.files();
      const images = await listAll(world.host);
      claim(images.length === 200, `list: expected 200 images, but received ${images.length}`);
      for (const { id, filename } of images) {
        const bytes = await bytesOf(await world.host.fetch(id));
        await world.host.replace(id, await replacementOf(kit, { name: filename, bytes }));
      }
      const left = (await listAll(world.host)).filter(({ status }) => status !== 'replaced');
      claim(left.length === 0, `replace: ${left.length} images are not replaced`);
      for (const { id } of images) await world.host.restore(id);
      await claimFiles(world, before, 'restore');
    },
  },
];
