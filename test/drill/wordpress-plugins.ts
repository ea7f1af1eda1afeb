import { cp, readFile, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Browser } from 'playwright-core';
import sharp from 'sharp';
import { launchBrowser } from '../support/browser.ts';
import { weigh } from '../wordpress/pages/weigh.ts';
import { imageBlock, publish, urlOf } from '../wordpress/posts.ts';
import { photograph, type StartedRig, startRig } from '../wordpress/rig.ts';
import type { SiteUser } from '../wordpress/site/site-user.ts';
import { serveBucket } from '../wordpress/stand-ins/bucket.ts';
import {
  tryDuplicatePost,
  tryElementor,
  tryMediaReplace,
  tryModernFormats,
  trySafeSvg,
  tryShop,
  tryYoast,
} from './neighbour-trials.ts';
import type { Trial } from './trial.ts';

/** Trials by the folder of the plugin, each with the file that WordPress activates. */
const TRIALS: Record<string, { file: string; tryIt(trial: Trial): Promise<void> }> = {
  polylang: { file: 'polylang.php', tryIt: tryPolylang },
  'regenerate-thumbnails': { file: 'regenerate-thumbnails.php', tryIt: tryRegenerateThumbnails },
  'amazon-s3-and-cloudfront': { file: 'wordpress-s3.php', tryIt: tryOffloadMedia },
  'action-scheduler': { file: 'action-scheduler.php', tryIt: tryActionScheduler },
  'webp-express': { file: 'webp-express.php', tryIt: tryNeighbour },
  'wp-super-cache': { file: 'wp-cache.php', tryIt: tryPageCache },
  woocommerce: { file: 'woocommerce.php', tryIt: tryShop },
  elementor: { file: 'elementor.php', tryIt: tryElementor },
  'enable-media-replace': { file: 'enable-media-replace.php', tryIt: tryMediaReplace },
  'webp-uploads': { file: 'load.php', tryIt: tryModernFormats },
  'wordpress-seo': { file: 'wp-seo.php', tryIt: tryYoast },
  'duplicate-post': { file: 'duplicate-post.php', tryIt: tryDuplicatePost },
  'safe-svg': { file: 'safe-svg.php', tryIt: trySafeSvg },
};

/** Tries the plugins of some folders one after the other, each in a new WordPress, and prints what held. Returns the number of faults. */
export async function tryPlugins(folders: readonly string[]): Promise<number> {
  let faults = 0;
  for (const folder of folders) {
    const name = basename(folder);
    const trial = TRIALS[name];
    if (!trial) throw new Error(`${folder}: expected a folder named ${Object.keys(TRIALS).join(', ')}`);
    const rig = await startRig({ credits: 50, tree: process.env.IMAGEWRIGHT_DRILL_WORDPRESS });
    const browser = await launchBrowser();
    nameFunctions(browser.browser);
    try {
      await cp(folder, join(rig.site.uploadsDir, '../plugins', name), { recursive: true });
      const version = /^[ *\t]*Version:\s*(\S+)/m.exec(await readFile(join(folder, trial.file), 'utf8'))?.[1];
      console.log(`${name} ${version}`);
      const hold = (what: string, holds: boolean) => {
        if (!holds) faults += 1;
        console.log(`  ${holds ? 'ok  ' : 'FAIL'} ${what}`);
      };
      const activated = await rig.site.php(
        '$done = activate_plugin( $file ); return is_wp_error( $done ) ? $done->get_error_message() : "";',
        {
          file: `${name}/${trial.file}`,
        },
      );
      hold(`is activated ${activated ?? ''}`, !activated);
      await rig.site.php('update_option( "imagewright_settings", array( "auto" => false, "preset" => "low" ) );');
      const admin = await rig.site.logIn();
      await trial.tryIt({ rig, admin, hold, ...toolsOf(rig, admin, browser.browser) });
      const log = (await rig.site.debugLog()).split('\n').filter((line) => line.includes('imagewright/'));
      hold(`leaves no message of the plugin ${log[0] ?? ''}`, log.length === 0);
    } catch (error) {
      faults += 1;
      console.log(`  FAIL ${String(error)}`);
    } finally {
      await browser.close();
      await rig.stop();
    }
  }
  return faults;
}

/** Defines `__name`, which tsx calls in functions, for pages that run them. */
function nameFunctions(browser: Browser): void {
  const open = browser.newContext.bind(browser);
  browser.newContext = async (options) => {
    const context = await open(options);
    await context.addInitScript('globalThis.__name = (target) => target');
    return context;
  };
}

function toolsOf(rig: StartedRig, admin: SiteUser, browser: Browser) {
  return {
    upload: async (name: string, width: number) => admin.upload(name, await photograph(width), 'image/jpeg'),
    async shown(id: number) {
      const page = await publish(rig, imageBlock(id, await urlOf(rig, id, 'large')));
      const { images, failed } = await weigh(browser, page, 'desktop');
      const image = images[0];
      return { path: image?.path ?? '', naturalWidth: image?.naturalWidth ?? 0, bytes: image?.bytes ?? 0, failed };
    },
    async run() {
      const before = await rig.account.api.balance();
      await admin.json('POST', '/run', { kind: 'optimize' });
      for (;;) {
        const { run } = await admin.json<{ run: { state: string } }>('POST', '/run/work', {});
        if (run.state !== 'running') return before - (await rig.account.api.balance());
      }
    },
  };
}

async function tryPolylang({ rig, admin, hold, upload, shown, run }: Trial) {
  await rig.site.php(
    `$options = get_option( 'polylang' ); $model = new PLL_Admin_Model( $options );
    foreach ( array( array( 'English', 'en', 'en_US' ), array( 'Deutsch', 'de', 'de_DE' ) ) as $one ) {
      $model->add_language( array( 'name' => $one[0], 'slug' => $one[1], 'locale' => $one[2], 'rtl' => 0, 'term_group' => 0 ) );
    }
    $options = get_option( 'polylang' ); $options['media_support'] = 1; $options['force_lang'] = 0; update_option( 'polylang', $options );`,
  );
  for (const delivery of ['beside', 'replace']) {
    await rig.site.php(
      'update_option( "imagewright_settings", array( "delivery" => $delivery ) + get_option( "imagewright_settings" ) );',
      { delivery },
    );
    const first = await upload(`berge-${delivery}.jpg`, 1100);
    await rig.site.php('pll_set_post_language( $first, "en" );', { first });
    const files = JSON.stringify(await rig.checksums());
    const second = await rig.site.php<number>(
      'return method_exists( PLL()->model->post, "create_media_translation" ) ? PLL()->model->post->create_media_translation( $first, "de" ) : PLL()->posts->create_media_translation( $first, "de" );',
      { first },
    );
    hold(`${delivery}: a translation is another attachment of the file`, second > first);
    hold(`${delivery}: both cost one credit`, (await run()) === 1);
    const optimized = /\.webp$/;
    for (const id of [first, second]) {
      const seen = await shown(id);
      hold(
        `${delivery}: a visitor sees ${id}: ${seen.path}`,
        optimized.test(seen.path) && seen.naturalWidth > 500 && seen.failed.length === 0,
      );
    }
    await rig.site.php('wp_delete_attachment( $first, true );', { first });
    const seen = await shown(second);
    hold(
      `${delivery}: after one is deleted the other is seen: ${seen.path}`,
      optimized.test(seen.path) && seen.naturalWidth > 500,
    );
    const [status] = await admin.answer('POST', `/attachments/${second}/restore`, {});
    hold(`${delivery}: the other restores every byte (${status})`, files === JSON.stringify(await rig.checksums()));
    await rig.site.php('wp_delete_attachment( $second, true );', { second });
    hold(`${delivery}: nothing is left`, Object.keys(await rig.checksums()).length === 0);
  }
}

async function tryRegenerateThumbnails({ rig, admin, hold, upload, shown, run }: Trial) {
  const id = await upload('again.jpg', 1300);
  await run();
  const before = await shown(id);
  hold(`a visitor gets ${before.path}`, before.path.endsWith('.iw.webp'));
  await rig.site.php(
    `foreach ( wp_get_attachment_metadata( $id )['sizes'] as $size ) { touch( dirname( get_attached_file( $id ) ) . '/' . $size['file'], time() - 90 ); }
    clearstatcache();`,
    { id },
  );
  await run();
  await rig.site.php(
    'RegenerateThumbnails_Regenerator::get_instance( $id )->regenerate( array( "only_regenerate_missing_thumbnails" => false ) );',
    { id },
  );
  const between = await shown(id);
  const { status } = await admin.json<{ status: string }>('GET', `/attachments/${id}`);
  hold(
    `after thumbnails were made again the state is ${status}, pages get ${between.path}`,
    status === 'outdated' && !between.path.includes('.iw.'),
  );
  hold('a run puts that right without a credit', (await run()) === 0);
  hold('a visitor gets the same as before', (await shown(id)).path === before.path);
}

async function tryOffloadMedia({ rig, admin, hold, upload, shown, run }: Trial) {
  const bucket = await serveBucket();
  try {
    await writeFile(join(rig.site.uploadsDir, '../mu-plugins/bucket.php'), offloadMediaSettings(bucket.url));
    // The first request asks for the region of the bucket.
    await rig.site.php('global $as3cf; $as3cf->is_plugin_setup( true );');
    const id = await upload('sent.jpg', 1200);
    hold(`the files are in the bucket (${bucket.files.size})`, bucket.files.size >= 3);
    const url = await urlOf(rig, id, 'large');
    hold(`WordPress names the bucket: ${url}`, url.startsWith(bucket.url));
    const seen = await shown(id);
    hold(`a visitor sees ${seen.path}`, seen.naturalWidth > 500 && seen.failed.length === 0);
    const { status, statusText } = await admin.json<{ status: string; statusText: string }>(
      'GET',
      `/attachments/${id}`,
    );
    hold(statusText, status === 'offloaded');
    hold('a run spends nothing', (await run()) === 0);
    const again = await shown(id);
    hold(`a visitor sees ${again.path}`, again.naturalWidth > 500 && again.failed.length === 0);
  } finally {
    await bucket.close();
  }
}

/** Settings of WP Offload Media with a server of S3 on this machine: its addresses take the place of those of AWS. */
function offloadMediaSettings(url: string): string {
  return `<?php
define( 'AS3CF_SETTINGS', serialize( array(
  'provider' => 'aws', 'access-key-id' => 'AKIAEXAMPLEEXAMPLE12', 'secret-access-key' => 'secretsecretsecretsecretsecretsecret1234', 'bucket' => 'bucket', 'region' => 'eu-central-1',
  'copy-to-s3' => true, 'serve-from-s3' => true, 'enable-object-prefix' => true, 'object-prefix' => 'wp-content/uploads/', 'use-yearmonth-folders' => true,
  'object-versioning' => false, 'remove-local-file' => false, 'force-https' => false,
) ) );
add_filter( 'as3cf_aws_s3_client_args', static function ( $args ) {
  return array( 'endpoint' => '${url}', 'use_path_style_endpoint' => true ) + $args;
} );
function trial_bucket( $text ) {
  return is_string( $text ) ? preg_replace( '#https?:(?://|\\\\/\\\\/)bucket\\.s3[^/]*amazonaws\\.com#', '${url}/bucket', $text ) : $text;
}
foreach ( array( 'wp_get_attachment_url', 'the_content' ) as $hook ) {
  add_filter( $hook, 'trial_bucket', 1000 );
}
add_filter( 'wp_calculate_image_srcset', static function ( $sources ) {
  foreach ( (array) $sources as $width => $source ) {
    $sources[ $width ]['url'] = trial_bucket( $source['url'] );
  }
  return $sources;
}, 1000 );
add_filter( 'wp_get_attachment_image_src', static function ( $image ) {
  return is_array( $image ) ? array( trial_bucket( $image[0] ) ) + $image : $image;
}, 1000 );
`;
}

async function tryActionScheduler({ rig, hold, upload }: Trial) {
  await rig.site.php(
    'update_option( "imagewright_settings", array( "auto" => true ) + get_option( "imagewright_settings" ) );',
  );
  const id = await upload('queued.jpg', 600);
  hold(
    'the queue is a planned action',
    await rig.site.php<boolean>('return (bool) as_has_scheduled_action( "imagewright_work", null, "imagewright" );'),
  );
  /** Runs what the plugin has planned, as it becomes due, until something holds. */
  const runUntil = async (holds: string, values = {}) => {
    for (let round = 0; round < 30; round += 1) {
      await rig.site.php('ActionScheduler_QueueRunner::instance()->run();');
      if (await rig.site.php<boolean>(`return ${holds};`, values)) return true;
      await setTimeout(1000);
    }
    return false;
  };
  const isOptimized = '"optimized" === imagewright()->get( Imagewright_Truth::class )->status( $id )';
  hold('its runner optimizes the upload', await runUntil(isOptimized, { id }));
  const later = await upload('later.jpg', 500);
  await rig.define({ IMAGEWRIGHT_URL: 'http://127.0.0.1:9' });
  const isPaused = '(bool) imagewright()->get( Imagewright_Queue::class )->paused()';
  hold('an upload waits while the service is away', await runUntil(isPaused));
  await rig.define({});
  hold('and is optimized afterwards', await runUntil(isOptimized, { id: later }));
}

async function tryPageCache({ rig, hold, upload, run }: Trial) {
  await upload('cached.jpg', 600);
  const has = await rig.site.php<boolean>('return function_exists( "wp_cache_clear_cache" );');
  hold('has the function that the plugin calls', has);
  await run();
  hold(
    'is emptied without an error',
    (await rig.site.php<boolean>('do_action( "imagewright_pages_changed" ); return true;')) === true,
  );
}

/** A plugin that also changes images: both are active, and visitors see every image. */
async function tryNeighbour({ rig, hold, upload, shown, run }: Trial) {
  const id = await upload('both.jpg', 1200);
  await run();
  const seen = await shown(id);
  hold(`a visitor sees ${seen.path}`, seen.naturalWidth > 500 && seen.failed.length === 0);
  const path = await rig.site.php<string>('return get_attached_file( $id );', { id });
  hold('the upload is an image', (await stat(path)).size > 0 && (await sharp(path).metadata()).width === 1200);
}
