import { beforeAll, describe, expect, it } from 'vitest';
import { photograph } from './rig.ts';
import type { SiteUser } from './site/site-user.ts';
import { createEditor, order, service, upload } from './through-proxy.ts';
import { useRig } from './use-rig.ts';

const { rig, admin, remove } = useRig();
let editor: SiteUser;
let photo: Uint8Array;

beforeAll(async () => {
  editor = await createEditor(rig, { sub: 'subscriber', aut: 'author' });
  photo = await photograph(700);
});

it('only roles with the capability spend credits; the settings give it to roles', async () => {
  const author = await rig.site.logIn('aut', 'aut');
  const id = await author.upload('of-an-author.jpg', photo, 'image/jpeg');
  const choose = (chosen: string[]) =>
    rig.site.php('imagewright()->get( Imagewright_Access::class )->choose_spenders( $chosen );', { chosen });
  const start = async (user: SiteUser) => (await user.answer('GET', `/run/preview?ids[]=${id}`))[0];
  expect(await start(author)).toBe(200);
  await choose(['editor']);
  expect(await author.answer('POST', `/attachments/${id}/optimize`)).toMatchObject([
    403,
    { code: 'imagewright_may_not_spend' },
  ]);
  expect([await start(author), await start(editor), await start(admin)]).toEqual([403, 200, 200]);
  await rig.site.php('imagewright()->get( Imagewright_Access::class )->revoke_spending();');
  expect(await start(admin)).toBe(403);
  await rig.site.php('imagewright()->get( Imagewright_Access::class )->grant_spending();');
  expect([await start(author), await start(admin)]).toEqual([200, 200]);
  await remove(id);
});

describe('permissions', () => {
  it('refuse users without the upload capability and visitors', async () => {
    const subscriber = await rig.site.logIn('sub', 'sub');
    for (const path of ['/status', '/attachments', '/run', service('/credits/balance')]) {
      expect([path, (await subscriber.call('GET', path)).status]).toEqual([path, 403]);
      expect([path, (await fetch(`${rig.site.url}/wp-json/imagewright/v1${path}`)).status]).toEqual([path, 401]);
      const noNonce = await fetch(`${rig.site.url}/wp-json/imagewright/v1${path}`, {
        headers: { Cookie: editor.cookie },
      });
      expect([path, noNonce.status]).toEqual([path, 401]);
    }
    expect((await editor.call('POST', '/connection', {})).status).toBe(403);
  });

  it('follow the filter of the site for all that users may use and spend', async () => {
    const author = await rig.site.logIn('aut', 'aut');
    const own = await author.upload('filtered.jpg', photo, 'image/jpeg');
    const made = await upload(author, photo);
    const balance = await rig.account.api.balance();
    const list = async () => {
      const headers = { Cookie: author.cookie };
      return (await fetch(`${rig.site.url}/wp-admin/upload.php?mode=list`, { headers })).text();
    };
    expect(await list()).toContain('data-imagewright-action="optimize"');

    await rig.define({ IMAGEWRIGHT_TEST_MAY_SPEND: 'edit_others_posts' });
    const paid: [string, string, object?][] = [
      ['POST', service(`/sessions/${made.sessionId}/export`), order(made)],
      ['POST', service(`/sessions/${made.sessionId}/analyze`), {}],
      ['POST', service('/export'), { sessionId: made.sessionId, ...order(made) }],
      ['POST', `/attachments/${own}/optimize`, {}],
      ['GET', '/run/preview'],
      ['POST', '/run', { kind: 'optimize' }],
    ];
    for (const [method, path, body] of paid) {
      const refusal = [403, { code: 'imagewright_may_not_spend' }];
      expect([path, ...(await author.answer(method, path, body))]).toMatchObject([path, ...refusal]);
    }
    expect(await rig.account.api.balance()).toBe(balance);
    expect((await author.call('POST', service(`/sessions/${made.sessionId}/sample`), order(made))).status).toBe(200);
    expect(await list()).not.toContain('data-imagewright-action="optimize"');
    const allowed = await upload(editor, photo);
    expect((await editor.call('POST', service(`/sessions/${allowed.sessionId}/export`), order(allowed))).status).toBe(
      200,
    );

    await rig.define({ IMAGEWRIGHT_TEST_MAY_USE: 'edit_others_posts' });
    for (const [method, path, body] of [
      ...paid,
      ['GET', '/status'],
      ['GET', `/attachments/${own}/original`],
    ] as const) {
      expect([path, (await author.call(method, path, body)).status]).toEqual([path, 403]);
    }
    expect(await list()).not.toMatch(/imagewright-optimize|data-imagewright/);
    expect((await editor.call('GET', '/status')).status).toBe(200);
    // A filter without a capability allows nobody.
    await rig.define({ IMAGEWRIGHT_TEST_MAY_USE: '' });
    expect((await admin.call('GET', '/status')).status).toBe(403);
    await remove(own);
  });

  it('allow an author to change own images only', async () => {
    const author = await rig.site.logIn('aut', 'aut');
    const own = await author.upload('own.jpg', photo, 'image/jpeg');
    const foreign = await editor.upload('foreign.jpg', photo, 'image/jpeg');
    for (const action of ['attach', 'optimize', 'restore']) {
      expect((await author.call('POST', `/attachments/${foreign}/${action}`, {})).status).toBe(403);
    }
    expect((await author.call('GET', `/attachments/${foreign}/original`)).status).toBe(403);
    const { items } = await author.json<{ items: { id: number }[] }>('GET', '/attachments');
    expect(items.map(({ id }) => id)).toEqual([own]);
    expect(await author.json('POST', `/attachments/${own}/optimize`)).toMatchObject({ status: 'optimized' });
  });
});
