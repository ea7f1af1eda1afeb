import {
  bytesOf,
  claim,
  claimRejects,
  claimSame,
  imageNamed,
  listAll,
  replacementOf,
  uploadedOf,
  type WorldTest,
} from './world.ts';

const UNKNOWN = 'no-such-image';

/** Tests of lists, originals and checks. */
export const readingTests: WorldTest[] = [
  {
    name: 'lists every image once, page by page',
    async run({ host }, { images }) {
      const listed = await listAll(host, { limit: 2 });
      const names = listed.map(({ filename }) => filename).sort();
      claim(
        names.join() ===
          images
            .map(({ name }) => name)
            .sort()
            .join(),
        `list: received ${names.join(', ')}`,
      );
      claim(new Set(listed.map(({ id }) => id)).size === listed.length, 'list: two images have one id');
    },
  },
  {
    name: 'lists in the same order each time',
    async run({ host, reopen }) {
      const order = async (opened: typeof host) => (await listAll(opened, { limit: 3 })).map(({ id }) => id).join();
      claim((await order(host)) === (await order(await reopen())), 'list: the order differs from page to page');
    },
  },
  {
    name: 'lists wanted ids in their order, and skips unknown ones',
    async run({ host }) {
      const [first, second] = await listAll(host);
      const ids = [second?.id ?? '', UNKNOWN, first?.id ?? ''];
      const { images } = await host.list({ ids });
      claim(images.map(({ id }) => id).join() === [ids[0], ids[2]].join(), 'list: ids: wrong images or order');
    },
  },
  {
    name: 'finds images by a part of their name',
    async run({ host }, { images }) {
      const name = images[0]?.name ?? '';
      const found = await host.list({ search: name.slice(0, -1) });
      claim(
        found.images.some(({ filename }) => filename === name),
        `list: search: ${name} is missing`,
      );
      claim((await host.list({ search: 'zzqqxx' })).images.length === 0, 'list: search: finds what is not there');
    },
  },
  {
    name: 'tells originals and replaced images apart',
    async run({ host }, kit) {
      const [image] = kit.images;
      if (!image) return;
      const { id } = await imageNamed(host, image.name);
      await host.replace(id, await replacementOf(kit, image));
      const ids = async (status: 'original' | 'replaced') => (await host.list({ status })).images.map((one) => one.id);
      claim((await ids('replaced')).join() === id, 'list: the replaced image is missing among the replaced ones');
      claim(!(await ids('original')).includes(id), 'list: a replaced image is among the originals');
    },
  },
  {
    name: 'returns the bytes of an original',
    async run({ host }, { images }) {
      for (const { name, bytes } of images) {
        const { id } = await imageNamed(host, name);
        claimSame(await bytesOf(await host.fetch(id)), bytes, `fetch: ${name}`);
      }
    },
  },
  {
    name: 'knows nothing of an unknown image',
    async run({ host }, kit) {
      const [image] = kit.images;
      if (!image) return;
      await claimRejects(host.fetch(UNKNOWN), ['not_found'], 'fetch');
      await claimRejects(host.replace(UNKNOWN, await replacementOf(kit, image)), ['not_found'], 'replace');
    },
  },
  {
    name: 'checks an unchanged image before it is paid for',
    async run({ host }, { images }) {
      const [image] = images;
      if (!image || !host.check) return;
      const { id } = await imageNamed(host, image.name);
      await host.check(id);
      await host.check(id, { uploaded: await uploadedOf(image.bytes) });
    },
  },
  {
    name: 'refuses an image that was changed since its upload, also to the same number of bytes, before it is paid for',
    async run({ host, overwrite }, { images }) {
      const [image] = images;
      if (!image || !host.check) return;
      const { id } = await imageNamed(host, image.name);
      await overwrite(
        id,
        image.bytes.map((byte, at) => (at === image.bytes.length - 1 ? byte ^ 1 : byte)),
      );
      await claimRejects(host.check(id, { uploaded: await uploadedOf(image.bytes) }), ['changed'], 'check');
    },
  },
];
