import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readEvents } from '../support/api-client.ts';
import { type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts';
import { photograph } from './rig.ts';
import type { SiteUser } from './site/site-user.ts';
import { useRig } from './use-rig.ts';

const { rig, admin, remove } = useRig();
let editor: SiteUser;
let photo: Uint8Array;

beforeAll(async () => {
  for (const [name, role] of Object.entries({ ed: 'editor', sub: 'subscriber', aut: 'author', ed2: 'editor' })) {
    await rig.site.createUser(name, role);
  }
  editor = await rig.site.logIn('ed', 'ed');
  photo = await photograph(700);
});

const BEHIND_NGINX = process.env.IMAGEWRIGHT_TEST_SERVER === 'nginx';
const service = (path: string) => `/service/v1${path}`;
const some = { session: `sess_${'0'.repeat(22)}`, job: `job_${'0'.repeat(22)}` };

function form(bytes: Uint8Array): FormData {
  const data = new FormData();
  data.append('images', new Blob([bytes as Uint8Array<ArrayBuffer>], { type: 'image/jpeg' }), 'photo.jpg');
  return data;
}

/** A session with one image, uploaded by a browser through WordPress. */
async function upload(user: SiteUser, bytes = photo) {
  const response = await user.call('POST', service('/sessions'), form(bytes), {
    'Idempotency-Key': crypto.randomUUID(),
  });
  expect(response.status).toBe(201);
  const { sessionId, images } = (await response.json()) as { sessionId: string; images: { id: string }[] };
  return { sessionId, imageId: images[0]?.id ?? '' };
}

const settings = { format: 'webp', preset: 'high' };

it('only roles with the capability spend credits; the settings give it to roles', async () => {
  const author = await rig.site.logIn('aut', 'aut');
  const id = await author.upload('of-an-author.jpg', photo, 'image/jpeg');
  const choose = (chosen: string[]) => rig.site.php('Imagewright_Roles::choose( $chosen );', { chosen });
  const start = async (user: SiteUser) => (await user.answer('GET', `/run/preview?ids[]=${id}`))[0];
  expect(await start(author)).toBe(200);
  await choose(['editor']);
  expect(await author.answer('POST', `/attachments/${id}/optimize`)).toMatchObject([
    403,
    { code: 'imagewright_may_not_spend' },
  ]);
  expect([await start(author), await start(editor), await start(admin)]).toEqual([403, 200, 200]);
  await rig.site.php('Imagewright_Roles::revoke();');
  expect(await start(admin)).toBe(403);
  await rig.site.php('Imagewright_Roles::grant();');
  expect([await start(author), await start(admin)]).toEqual([200, 200]);
  await remove(id);
});
const order = ({ imageId }: { imageId: string }) => ({ images: [{ id: imageId }], settings });

describe('the proxy', { timeout: 120_000 }, () => {
  it('forwards uploads, streams, downloads and idempotency keys', async () => {
    const made = await upload(editor);
    const path = service(`/sessions/${made.sessionId}/export`);
    const key = { 'Idempotency-Key': 'one-and-the-same' };
    const balance = await rig.account.api.balance();
    for (const _ of [1, 2]) {
      const stream = await editor.call('POST', path, order(made), key);
      expect(stream.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
      // nginx consumes this header and does not forward it.
      expect(stream.headers.get('x-accel-buffering')).toBe(BEHIND_NGINX ? null : 'no');
      const events = [];
      for await (const event of readEvents(stream)) events.push(event);
      const last = events.at(-1);
      expect(last).toMatchObject({ event: 'complete', data: { status: 'completed' } });
      if (last?.event !== 'complete') throw new Error('unreachable');
      const full = last.data.results[0]?.variants[0];
      const file = await editor.call('GET', service(full?.url.replace('/v1', '') ?? ''));
      expect(file.headers.get('content-type')).toBe('image/webp');
      expect((await file.arrayBuffer()).byteLength).toBe(full?.size);

      const resumed = await editor.call('GET', service(`/jobs/${last.data.jobId}/events`), undefined, {
        'Last-Event-ID': last.id,
      });
      expect(resumed.status).toBe(204);
    }
    expect(balance - (await rig.account.api.balance())).toBe(1);
  });

  // Apache holds back what is shorter than 4 kB unless its `ProxyPass` has `flushpackets=on` (docs/proxies.md).
  it.skipIf(process.env.IMAGEWRIGHT_TEST_SERVER === 'apache')(
    'forwards the events of a stream one by one while it runs',
    async () => {
      const made = await upload(editor, await photograph(1600));
      // Takes long enough for the first event to arrive before the end.
      const body = { ...order(made), settings: { format: 'avif', preset: 'maximum' } };
      const stream = await editor.call('POST', service(`/sessions/${made.sessionId}/sample`), body);
      let atFirst: unknown = null;
      for await (const event of readEvents(stream)) {
        // A buffered event would arrive together with the last one.
        atFirst ??= await rig.account.api.readJson(`/v1/jobs/${event.id.split(':')[0]}`);
      }
      expect(atFirst).toMatchObject({ kind: 'sample', status: 'processing' });
    },
  );

  it('forwards errors of the service unchanged, except 401, which would refer to WordPress', async () => {
    const made = await upload(editor);
    const images = Array.from({ length: 6 }, () => ({ id: made.imageId }));
    const sample = await editor.call('POST', service(`/sessions/${made.sessionId}/sample`), { images, settings });
    expect([sample.status, ((await sample.json()) as { code: string }).code]).toEqual([400, 'sample_limit_exceeded']);

    const poor = await rig.service.createAccount({ credits: 0 });
    await rig.site.define({ IMAGEWRIGHT_URL: rig.service.url, IMAGEWRIGHT_API_KEY: poor.apiKey });
    const own = await upload(editor);
    const broke = await editor.call('POST', service(`/sessions/${own.sessionId}/export`), order(own));
    expect(broke.status).toBe(402);
    expect(await broke.json()).toMatchObject({ code: 'insufficient_credits', balance: 0, required: 1, shortfall: 1 });

    const wrong = `iw_${'0'.repeat(36)}`;
    await rig.site.define({ IMAGEWRIGHT_URL: rig.service.url, IMAGEWRIGHT_API_KEY: wrong });
    const refused = await editor.call('GET', service('/credits/balance'));
    const text = await refused.text();
    expect([refused.status, JSON.parse(text).code]).toEqual([424, 'invalid_api_key']);
    expect(text).not.toContain(wrong);

    await rig.service.service.accounts.keys.deactivate(poor.accountId, poor.keyId);
    await rig.site.define({ IMAGEWRIGHT_URL: rig.service.url, IMAGEWRIGHT_API_KEY: poor.apiKey });
    const inactive = await editor.call('GET', service('/credits/balance'));
    expect([inactive.status, ((await inactive.json()) as { code: string }).code]).toEqual([403, 'inactive_api_key']);
    await rig.site.define({ IMAGEWRIGHT_URL: 'http://127.0.0.1:9', IMAGEWRIGHT_API_KEY: poor.apiKey });
    const away = await editor.call('GET', service('/credits/balance'));
    expect([away.status, ((await away.json()) as { code: string }).code]).toEqual([502, 'imagewright_unreachable']);
  });

  it('allows only the paths that the widget needs', async () => {
    const { sessionId } = await upload(editor);
    const closed: [string, string][] = [
      ['GET', '/openapi.json'],
      ['GET', '/credits/transactions'],
      ['DELETE', '/credits/balance'],
      ['GET', `/sessions/${sessionId}/../../credits/transactions`],
      ['GET', `/sessions/${sessionId}%2F..%2F..%2Fcredits%2Ftransactions`],
      ['GET', `/sessions/${some.session}`],
      ['POST', `/sessions/${some.session}/export`],
      ['GET', `/jobs/${some.job}`],
      ['GET', `/jobs/${some.job}/events`],
      ['POST', '/export'],
    ];
    for (const [method, path] of closed) {
      const answer = await editor.call(
        method,
        service(path),
        method === 'POST' ? { sessionId: some.session } : undefined,
      );
      expect([path, answer.status]).toEqual([path, 404]);
    }
  });

  it('refuses sessions of other users and of other sites with the same key', async () => {
    const mine = await upload(editor);
    const other = await rig.site.logIn('ed2', 'ed2');
    expect((await other.call('GET', service(`/sessions/${mine.sessionId}`))).status).toBe(404);
    expect((await editor.call('GET', service(`/sessions/${mine.sessionId}`))).status).toBe(200);
    const elsewhere = await rig.account.api.upload([{ name: 'a.jpg', bytes: photo }]);
    expect((await editor.call('GET', service(`/sessions/${elsewhere.sessionId}`))).status).toBe(404);
    const job = await rig.account.api.run('export', elsewhere, settings);
    expect((await editor.call('GET', service(`/jobs/${job.jobId}`))).status).toBe(404);
  });
});

it('refuses a new address without encryption, except on private hosts, and warns of a stored one', async () => {
  const save = (url: string) =>
    rig.site.php<string>(
      'require_once ABSPATH . "wp-admin/includes/template.php"; Imagewright_Settings_Page::settings(); update_option( "imagewright_settings", array( "url" => $url ) ); return Imagewright_Options::all()["url"];',
      { url },
    );
  const before = await save('https://one.example');
  for (const host of ['two.example', '8.8.8.8', '134744072', '[::ffff:8.8.8.8]', 'local.example']) {
    expect(await save(`http://${host}`)).toBe(before);
  }
  const open = [
    'localhost:8080',
    '127.0.0.1:8080',
    '[::1]',
    '10.1.2.3',
    'imagewright',
    'a.local',
    'a.test',
    'a.internal',
  ];
  for (const host of open) expect(await save(`http://${host}`)).toBe(`http://${host}`);
  await rig.site.php(
    'add_filter( "imagewright_allow_http", "__return_true" ); require_once ABSPATH . "wp-admin/includes/template.php"; Imagewright_Settings_Page::settings(); update_option( "imagewright_settings", array( "url" => "http://two.example" ) );',
  );
  await rig.site.define({});
  expect(await save('http://two.example/')).toBe('http://two.example');
  const headers = { Cookie: admin.cookie };
  const page = await fetch(`${rig.site.url}/wp-admin/options-general.php?page=imagewright`, { headers });
  expect(await page.text()).toContain('sends the API key and the images unencrypted');
});

describe('the budget of a user', { timeout: 180_000 }, () => {
  const limitTo = (credits: number) =>
    rig.site.php('update_option( "imagewright_settings", array( "user_credits" => $credits ) );', { credits });
  const exportOf = (user: SiteUser, made: Awaited<ReturnType<typeof upload>>, key: string) =>
    user.call('POST', service(`/sessions/${made.sessionId}/export`), order(made), { 'Idempotency-Key': key });
  const over = (limit: number, used: number) => ({ code: 'imagewright_budget_exceeded', limit, used, required: 1 });
  afterAll(() => limitTo(0));

  it('holds against requests at the same time, and for single images', async () => {
    const author = await rig.site.logIn('aut', 'aut');
    const made = [];
    for (const width of [501, 502, 503, 504]) made.push(await upload(author, await photograph(width)));
    const own = await author.upload('budget.jpg', await photograph(505), 'image/jpeg');
    const balance = await rig.account.api.balance();
    await limitTo(2);
    const answers = await Promise.all(made.map((one, index) => exportOf(author, one, `budget-${index}`)));
    const texts = await Promise.all(answers.map((answer) => answer.text()));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 403, 403]);
    expect(JSON.parse(texts[answers.findIndex(({ status }) => status === 403)] ?? '')).toEqual({
      ...over(2, 2),
      error:
        'Your limit on this site is 2 credits in 30 days. Used: 2, needed now: 1. An administrator can raise the limit.',
    });
    expect(balance - (await rig.account.api.balance())).toBe(2);
    const [status, body] = await author.answer('POST', `/attachments/${own}/optimize`, {});
    expect([status, body.code]).toEqual([403, 'imagewright_budget_exceeded']);
    // A body that only the service can read is not forwarded uncounted.
    let nested: object = {};
    for (let depth = 0; depth < 600; depth += 1) nested = { nested };
    const sent = { ...order(made[0] ?? { imageId: '' }), nested };
    expect((await author.call('POST', service(`/sessions/${made[0]?.sessionId}/export`), sent)).status).toBe(400);
    expect(balance - (await rig.account.api.balance())).toBe(2);
    expect((await exportOf(admin, await upload(admin, await photograph(506)), 'free')).status).toBe(200);
    await limitTo(3);
    expect(await author.json('POST', `/attachments/${own}/optimize`, {})).toMatchObject({ status: 'optimized' });
    await remove(own);
  });

  it('counts what was charged: once for a repeated request, nothing for a refused one, 30 days', async () => {
    await limitTo(2);
    const made = await upload(editor, await photograph(507));
    for (const key of ['again', 'again'])
      expect(await (await exportOf(editor, made, key)).text()).toContain('complete');
    const wrong = { ...order(made), settings: { format: 'unknown' } };
    expect((await editor.call('POST', service(`/sessions/${made.sessionId}/export`), wrong)).status).toBe(400);
    const used = () =>
      rig.site.php<number>(
        'global $wpdb; $row = $wpdb->get_var( $wpdb->prepare( "SELECT option_value FROM $wpdb->options WHERE option_name = %s", "imagewright_budget_" . get_user_by( "login", "ed" )->ID ) ); return array_sum( array_column( json_decode( $row, true )["entries"], 1 ) );',
      );
    expect(await used()).toBe(1);
    await rig.site.php(
      '$name = "imagewright_budget_" . get_user_by( "login", "ed" )->ID; update_option( $name, wp_json_encode( array( "entries" => array( "a" => array( time() - 31 * DAY_IN_SECONDS, 9, "" ), "b" => array( time() - 29 * DAY_IN_SECONDS, 1, "" ), "c" => array( time() - 29 * DAY_IN_SECONDS, 1, "" ) ) ) ) );',
    );
    const refused = await exportOf(editor, await upload(editor, await photograph(508)), 'later');
    expect([refused.status, await refused.json()]).toMatchObject([403, over(2, 2)]);
    await limitTo(0);
    expect((await exportOf(editor, await upload(editor, await photograph(509)), 'none')).status).toBe(200);
  });
});

describe('permissions', { timeout: 120_000 }, () => {
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
    const made = await upload(author);
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
    const allowed = await upload(editor);
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

  it('prefer the key of a constant, and no response or page contains a key', async () => {
    await rig.site.php('update_option( "imagewright_api_key", $key );', { key: `iw_${'1'.repeat(36)}` });
    expect((await editor.call('GET', '/status')).status).toBe(200);
    const pages = [
      'upload.php?page=imagewright-optimize',
      'options-general.php?page=imagewright',
      'upload.php?mode=list',
    ];
    for (const page of pages) {
      const html = await (
        await fetch(`${rig.site.url}/wp-admin/${page}`, { headers: { Cookie: admin.cookie } })
      ).text();
      expect(html).toContain('</html>');
      expect(html).not.toContain(rig.account.apiKey);
      expect(html).not.toContain('iw_111');
    }
    const options = await fetch(`${rig.site.url}/wp-json/wp/v2/settings`, {
      headers: { Cookie: admin.cookie, 'X-WP-Nonce': admin.nonce },
    });
    expect(await options.text()).not.toMatch(/iw_|imagewright/);
  });

  it('refuse private addresses from the form', async () => {
    await rig.site.define({});
    await typedInto(rig.service.url, rig.account.apiKey);
    const answer = await admin.call('POST', '/connection', {});
    expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([
      424,
      'imagewright_address_refused',
    ]);
  });
});

/** Stores address and key in the same way as the form. */
const typedInto = (url: string, key: string) =>
  rig.site.php(
    'update_option( "imagewright_settings", array( "url" => $url ) ); update_option( "imagewright_api_key", $key );',
    { url, key },
  );

describe('the key, after a new address was entered in the form', { timeout: 120_000 }, () => {
  let other: FaultProxy;
  beforeAll(async () => {
    other = await startFaultProxy(rig.service.url);
  });
  afterAll(() => other?.close());
  const openPort = () => ({ IMAGEWRIGHT_TEST_OPEN_PORT: Number(new URL(other.url).port) });
  const keysSeen = () => other.seen.map(({ headers }) => headers['x-api-key']);

  it('is sent there only if it was entered in the form too, never from the server configuration', async () => {
    const { apiKey } = rig.account;
    await rig.site.define(openPort());
    await typedInto(other.url, apiKey);
    expect((await admin.call('POST', '/connection', {})).status).toBe(200);
    expect(keysSeen()).toEqual([apiKey]);

    other.reset();
    await rig.site.define({ ...openPort(), IMAGEWRIGHT_API_KEY: apiKey });
    const refused = await admin.call('POST', '/connection', {});
    const said = { code: 'imagewright_not_configured', message: expect.stringContaining('define IMAGEWRIGHT_URL') };
    expect([refused.status, await refused.json()]).toMatchObject([424, said]);
    expect((await editor.call('GET', service('/credits/balance'))).status).toBe(424);
    expect(keysSeen()).toEqual([]);

    // The address from the server configuration overrides the form.
    await rig.define({});
    expect((await admin.call('POST', '/connection', {})).status).toBe(200);
    expect(keysSeen()).toEqual([]);
  });

  it('is removed from the settings if the host changes without a new key', async () => {
    const page = `${rig.site.url}/wp-admin/options-general.php?page=imagewright`;
    const headers = { Cookie: admin.cookie };
    const save = async (url: string, key: string) => {
      const html = await (await fetch(page, { headers })).text();
      const nonce = /name="_wpnonce" value="(\w+)"/.exec(html)?.[1] ?? '';
      const form = { option_page: 'imagewright', action: 'update', _wpnonce: nonce, imagewright_api_key: key };
      const body = new URLSearchParams({ ...form, 'imagewright_settings[url]': url });
      const saved = await fetch(`${rig.site.url}/wp-admin/options.php`, { method: 'POST', headers, body });
      const stored = await rig.site.php<string[]>(
        'return array( Imagewright_Options::all()["url"], get_option( "imagewright_api_key" ) );',
      );
      const text = await saved.text();
      // WordPress opens no address in the server's own network that comes from a form, nor one of an unknown host.
      expect([text.includes('WordPress does not allow this address'), text.includes('Settings saved.')]).toEqual([
        true,
        false,
      ]);
      return [...stored, text.includes('the stored API key was removed')];
    };
    const [mine, yours] = [`iw_${'a'.repeat(36)}`, `iw_${'b'.repeat(36)}`];
    await rig.site.define({});
    for (const [host, key, stored, isTold] of [
      ['one.example', mine, mine, false],
      ['one.example/images', '', mine, false],
      ['two.example', '', '', true],
      ['two.example', mine, mine, false],
      ['three.example', 'iw_short', '', true],
      ['three.example', mine, mine, false],
      ['three.example:8443', yours, yours, false],
    ] as const) {
      expect(await save(`https://${host}`, key)).toEqual([`https://${host}`, stored, isTold]);
    }
  });
});

it('sends files and streams also through an output buffer that cannot be removed', {
  timeout: 60_000,
}, async () => {
  const id = await admin.upload('buffered.jpg', photo, 'image/jpeg');
  const made = await upload(editor);
  await rig.define({ IMAGEWRIGHT_TEST_BUFFER: true });
  const original = await admin.call('GET', `/attachments/${id}/original`);
  expect(Buffer.compare(Buffer.from(await original.arrayBuffer()), Buffer.from(photo))).toBe(0);
  const stream = await editor.call('POST', service(`/sessions/${made.sessionId}/export`), order(made));
  const events = [];
  for await (const event of readEvents(stream)) events.push(event);
  const last = events.at(-1);
  if (last?.event !== 'complete') throw new Error('the export did not end');
  const full = last.data.results[0]?.variants[0];
  const file = await editor.call('GET', service(full?.url.replace('/v1', '') ?? ''));
  expect((await file.arrayBuffer()).byteLength).toBe(full?.size);
});
