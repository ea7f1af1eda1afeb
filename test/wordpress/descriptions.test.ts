import { afterAll, beforeAll, expect, it } from 'vitest';
import { type FakeVisionServer, GOOD_ANSWER, startFakeVisionServer } from '../support/fake-vision-server.ts';
import { startTestService, type TestAccount, type TestService } from '../support/service.ts';
import { photograph, tinyPicture } from './rig.ts';
import type { Constants } from './site/site-config.ts';
import { useRig } from './use-rig.ts';

const { rig, admin, post, upload, remove } = useRig({ delivery: 'beside' });
let vision: FakeVisionServer;
let describing: TestService;
let account: TestAccount;
/** Connects the site with a service that has a model. */
let connection: Constants;

beforeAll(async () => {
  vision = await startFakeVisionServer();
  const model = { AI_PROVIDER: 'openai-compatible', AI_BASE_URL: vision.url, AI_MODEL: 'fake', AI_CANARY: 'off' };
  describing = await startTestService({ ...model, ANALYSIS_CREDITS: '2' });
  account = await describing.createAccount({ credits: 50 });
  connection = { IMAGEWRIGHT_URL: describing.url, IMAGEWRIGHT_API_KEY: account.apiKey };
});
afterAll(async () => {
  await describing?.close();
  await vision?.close();
});

it('a description is made for the page around the image, and the library keeps what no person wrote', async () => {
  await rig.define(connection);
  const { id } = await upload('bicycle.jpg', await photograph(500));
  const context = 'Post: Spring in the city. Paragraph: The bicycle of my grandfather';
  const [status, made] = await post(`/attachments/${id}/describe`, { context, usage: 'informative' });
  expect([status, made.alt, made.saved]).toEqual([200, GOOD_ANSWER.alt, true]);
  expect(vision.questions().at(-1)?.words).toContain(context);
  const text = { text: GOOD_ANSWER.alt, by: 'ai', confirmed: false };
  expect(made.image).toMatchObject({ alt: GOOD_ANSWER.alt, texts: [text] });

  expect(await post(`/attachments/${id}/confirm`, { alt: 'Unseen' })).toMatchObject([
    409,
    { code: 'imagewright_text_changed' },
  ]);
  expect(await post(`/attachments/${id}/confirm`, { alt: GOOD_ANSWER.alt })).toMatchObject([
    200,
    { texts: [{ ...text, confirmed: true, user: 'admin' }] },
  ]);
  // A confirmed text is not overwritten: the new one is for the page that asked.
  vision.answer = { ...GOOD_ANSWER, alt: 'A bicycle in the sun' };
  const [, again] = await post(`/attachments/${id}/describe`, { context: 'Another page' });
  expect(again).toMatchObject({ alt: 'A bicycle in the sun', saved: false, image: { alt: GOOD_ANSWER.alt } });
  expect(again).toMatchObject({ image: { texts: [{}, { text: 'A bicycle in the sun', by: 'ai', confirmed: false }] } });
  await remove(id);
});

it('a service without a model is named before anything starts, and nothing is written or sent', async () => {
  await rig.define({});
  const { id } = await upload('silent.jpg', await photograph(400));
  const preview = await admin.json('GET', '/run/preview?fillText=1');
  expect(preview).toMatchObject({ images: 1, described: 0, textCost: 0 });
  expect(preview.textNote).toContain('no model');
  expect(await post(`/attachments/${id}/describe`)).toMatchObject([409, { code: 'imagewright_no_model' }]);
  expect((await rig.attachment(id)).alt).toBe('');
  await remove(id);
});

it('a new upload is not described by itself: nobody has seen the price; the day counts what it cost', async () => {
  await rig.define(connection);
  const change = (settings: object) =>
    rig.site.php('update_option( "imagewright_settings", $settings + get_option( "imagewright_settings" ) );', {
      settings,
    });
  await change({ auto: true, fill_text: true });
  const before = await account.api.balance();
  const gains = await admin.upload('gains.jpg', await photograph(450), 'image/jpeg');
  const gainsNothing = await admin.upload('tiny.webp', await tinyPicture(140), 'image/webp');
  const used = await rig.site.php<number>(
    `global $wpdb;
    $wpdb->query( 'UPDATE ' . Imagewright_Index::table() . " SET due = 1 WHERE task <> ''" );
    imagewright()->get( Imagewright_Worker::class )->run( 60 );
    return imagewright()->get( Imagewright_Uploads::class )->used_today();`,
  );
  expect(await admin.json('GET', `/attachments/${gains}`)).toMatchObject({ status: 'optimized', alt: '' });
  expect(await admin.json('GET', `/attachments/${gainsNothing}`)).toMatchObject({ status: 'failed' });
  expect([before - (await account.api.balance()), used]).toEqual([1, 1]);
  await change({ auto: false, fill_text: false });
  await remove(gains);
  await remove(gainsNothing);
});
