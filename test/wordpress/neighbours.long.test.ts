import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { imageBlock, publish, urlOf } from './posts.ts';
import { fixture, photograph } from './rig.ts';
import { useRig } from './use-rig.ts';

const { rig, admin, post, upload, remove, expectRestored, emptyLibrary } = useRig({ delivery: 'beside' });
beforeAll(() => rig.site.addMuPlugin(fileURLToPath(new URL('stand-ins/modern-image-formats.php', import.meta.url))));
afterEach(emptyLibrary);

const deliver = (delivery: string) =>
  rig.site.php(
    'update_option( "imagewright_settings", array( "delivery" => $delivery ) + get_option( "imagewright_settings" ) );',
    { delivery },
  );
const balance = () => rig.account.api.balance();
const state = (id: number) => admin.json<{ status: string; statusText: string }>('GET', `/attachments/${id}`);
async function pageOf(id: number): Promise<string> {
  const url = await publish(rig, imageBlock(id, await urlOf(rig, id, 'large')));
  return (await fetch(url)).text();
}

describe('beside a plugin that shows smaller files of its own', () => {
  it('in a picture element: that is said before a credit is spent, and the state is what visitors get', async () => {
    const early = await upload('early.jpg', await photograph(1100));
    expect((await post(`/attachments/${early.id}/optimize`, { preset: 'low' }))[0]).toBe(200);
    const late = await upload('late.jpg', await photograph(1000));
    await rig.define({ STAND_IN_PICTURE: true });
    const before = await balance();
    for (const { id } of [early, late]) {
      expect(await pageOf(id)).toMatch(/<picture class="theirs">(?:(?!\.iw\.).)*<\/picture>/s);
      expect(await state(id)).toMatchObject({
        status: 'offloaded',
        statusText: expect.stringMatching(/^Not delivered: .*picture/),
      });
    }
    expect(await admin.json('GET', '/run/preview')).toMatchObject({
      ...{ images: 0, cost: 0 },
      leftOut: [{ count: 2, message: expect.stringContaining('another plugin') }],
    });
    expect(await post(`/attachments/${late.id}/optimize`)).toMatchObject([422, { code: 'imagewright_hidden' }]);
    expect(await post(`/attachments/${late.id}/attach`)).toMatchObject([422, { code: 'imagewright_hidden' }]);
    expect(await balance()).toBe(before);
    // A picture element without a source offers nothing, so it gets ours.
    await rig.define({ STAND_IN_PICTURE: 'empty' });
    expect((await state(early.id)).status).toBe('optimized');
    expect(await pageOf(early.id)).toMatch(
      /<picture class="theirs"><source type="image\/webp" srcset="[^"]*\.iw\.webp[^"]*"[^>]*><img data-iw/,
    );
    await rig.define({});
    expect((await state(early.id)).status).toBe('optimized');
    expect(await admin.json('GET', '/run/preview')).toMatchObject({ images: 1, cost: 1, leftOut: [] });
    expect(await pageOf(early.id)).toContain('.iw.webp');
  });

  it('in the content: a file that is not smaller than theirs is not delivered, and costs nothing', async () => {
    await rig.define({ STAND_IN_QUALITY: 10 });
    const image = await upload('theirs.jpg', await photograph(900));
    const before = await balance();
    expect(await post(`/attachments/${image.id}/optimize`)).toMatchObject([409, { code: 'imagewright_not_smaller' }]);
    expect(await balance()).toBe(before);
    expect(Object.keys(await rig.checksums()).filter((name) => name.includes('.iw.'))).toEqual([]);
  });
});

describe.each(['replace', 'beside'])('files that another plugin made of an image (%s)', (delivery) => {
  it('come back byte for byte, and none is left after the deletion', async () => {
    await deliver(delivery);
    const none = await rig.checksums();
    const image = await upload('sources.jpg', await photograph(1100));
    expect(Object.keys(image.checksums).filter((name) => name.endsWith('-jpg.webp')).length).toBeGreaterThan(3);
    expect((await post(`/attachments/${image.id}/optimize`, { preset: 'low' }))[0]).toBe(200);
    await expectRestored(image);
    expect((await post(`/attachments/${image.id}/optimize`, { preset: 'low' }))[0]).toBe(200);
    await remove(image.id);
    expect(await rig.checksums()).toEqual(none);
    await deliver('beside');
  });
});

describe.each(['beside', 'replace'])('an image that gains nothing for visitors costs nothing (%s)', (delivery) => {
  it('since the format cannot hold its animation', async () => {
    await deliver(delivery);
    const image = await upload('moving.gif', await fixture('field/d-control.gif'), 'image/gif');
    const before = await balance();
    const answer = await post(`/attachments/${image.id}/optimize`, { format: 'avif', preset: 'low' });
    expect(answer).toMatchObject([409, { code: 'imagewright_not_smaller' }]);
    expect(answer[1].message).toContain('cannot hold the animation');
    expect(await balance()).toBe(before);
    expect(await rig.checksums()).toEqual(image.checksums);
  });

  it('since the files that pages show get smaller by less than one percent', async () => {
    await deliver(delivery);
    // Of such a file WordPress makes sizes that gain some bytes in 300,000.
    const bytes = await sharp(await photograph(1200))
      .jpeg({ quality: 20 })
      .toBuffer();
    const image = await upload('nearly.jpg', bytes);
    const before = await balance();
    const files = await rig.checksums();
    const answer = await post(`/attachments/${image.id}/optimize`, { format: 'webp', preset: 'high' });
    expect(answer).toMatchObject([409, { code: 'imagewright_not_smaller' }]);
    expect(answer[1].message).toContain('one percent');
    expect(await balance()).toBe(before);
    expect(await rig.checksums()).toEqual(files);
    await deliver('beside');
  });
});
