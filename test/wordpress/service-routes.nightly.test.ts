import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readEvents } from '../support/api-client.ts';
import { photograph } from './rig.ts';
import type { SiteUser } from './site/site-user.ts';
import { createEditor, order, service, settings, upload } from './through-proxy.ts';
import { useRig } from './use-rig.ts';

const { rig, admin, remove } = useRig();
let editor: SiteUser;
let photo: Uint8Array;

beforeAll(async () => {
  editor = await createEditor(rig, { aut: 'author', ed2: 'editor' });
  photo = await photograph(700);
});

const BEHIND_NGINX = process.env.IMAGEWRIGHT_TEST_SERVER === 'nginx';
const some = { session: `sess_${'0'.repeat(22)}`, job: `job_${'0'.repeat(22)}` };

describe('the proxy', () => {
  it('forwards uploads, streams, downloads and idempotency keys', async () => {
    const made = await upload(editor, photo);
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

  it('keeps the idempotency keys of users apart', async () => {
    const [mine, again] = [await upload(editor, photo, 'a key of two'), await upload(editor, photo, 'a key of two')];
    expect(again).toEqual(mine);
    const other = await rig.site.logIn('ed2', 'ed2');
    const theirs = await upload(other, photo, 'a key of two');
    expect(theirs.sessionId).not.toBe(mine.sessionId);
    expect((await other.call('GET', service(`/sessions/${mine.sessionId}`))).status).toBe(404);
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
    const made = await upload(editor, photo);
    const images = Array.from({ length: 6 }, () => ({ id: made.imageId }));
    const sample = await editor.call('POST', service(`/sessions/${made.sessionId}/sample`), { images, settings });
    expect([sample.status, ((await sample.json()) as { code: string }).code]).toEqual([400, 'sample_limit_exceeded']);

    const poor = await rig.service.createAccount({ credits: 0 });
    await rig.site.define({ IMAGEWRIGHT_URL: rig.service.url, IMAGEWRIGHT_API_KEY: poor.apiKey });
    const own = await upload(editor, photo);
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
    const { sessionId } = await upload(editor, photo);
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
    const mine = await upload(editor, photo);
    const other = await rig.site.logIn('ed2', 'ed2');
    expect((await other.call('GET', service(`/sessions/${mine.sessionId}`))).status).toBe(404);
    expect((await editor.call('GET', service(`/sessions/${mine.sessionId}`))).status).toBe(200);
    const elsewhere = await rig.account.api.upload([{ name: 'a.jpg', bytes: photo }]);
    expect((await editor.call('GET', service(`/sessions/${elsewhere.sessionId}`))).status).toBe(404);
    const job = await rig.account.api.run('export', elsewhere, settings);
    expect((await editor.call('GET', service(`/jobs/${job.jobId}`))).status).toBe(404);
  });
});

describe('the budget of a user', () => {
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

it('sends files and streams also through an output buffer that cannot be removed', async () => {
  const id = await admin.upload('buffered.jpg', photo, 'image/jpeg');
  const made = await upload(editor, photo);
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
