import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { auditOf, clientOf, createAccountIn, startServiceProcess } from '../crash/service-process.ts';
import { photograph } from '../wordpress/rig.ts';
import { type Site, type SiteOptions, startSite } from '../wordpress/site/site.ts';

/** Settings of a bulk run that nobody watches. */
export interface RunSettings {
  images: number;
  /** Seconds for which the service is away after each of its two ends. */
  awaySeconds: number;
  /** Seconds between two calls of WP-Cron by the system. */
  cronSeconds: number;
  /** True to shift the times in the database by 15 minutes after PHP was killed, instead of waiting for that long. */
  skipsWaiting: boolean;
  site?: SiteOptions;
}

/** Result of a bulk run. */
export interface RunOutcome {
  seconds: number;
  done: number;
  noGain: number;
  failed: unknown[];
  charged: number;
  /** Different exports in the records of the images. */
  exports: number;
  /** Numbers of finished images when each process was killed. */
  killedAt: { service: number[]; php: number[] };
  /** Returns true if all accounts of the service agree with their ledgers. */
  audit: Awaited<ReturnType<typeof auditOf>>;
  /** Messages of WordPress and PHP. */
  log: string;
}

interface Progress {
  state: string;
  reason: unknown;
  done: number;
  noGain: number;
  failedCount: number;
  failed: unknown[];
}

const COPY = fileURLToPath(new URL('../wordpress/scale/copy-attachments.php', import.meta.url));
const BATCH = 250;
const IN_PROGRESS = `global $wpdb; return (int) $wpdb->get_var( "SELECT COUNT(*) FROM " . Imagewright_Index::table() . " WHERE task <> '' AND tries > 0 AND due > " . ( time() + 60 ) . " AND due < " . Imagewright_Queue::NEVER );`;
/** Locks, tasks and schedule as they are 15 minutes later. */
const LATER = `global $wpdb;
$wpdb->query( "UPDATE " . Imagewright_Index::table() . " SET due = due - 900 WHERE task <> '' AND due > 900 AND due < " . Imagewright_Queue::NEVER );
foreach ( $wpdb->get_results( "SELECT option_name AS n, option_value AS v FROM $wpdb->options WHERE option_name LIKE 'imagewright%.lock'" ) as $lock ) {
  $wpdb->update( $wpdb->options, array( 'option_value' => preg_replace_callback( '/^\\d+/', static function ( $time ) { return $time[0] - 900; }, $lock->v ) ), array( 'option_name' => $lock->n ) );
}
delete_transient( 'doing_cron' );
imagewright()->get( Imagewright_Schedule::class )->wake();`;

/**
 * Optimizes a library in one run that no browser watches. WP-Cron works on it. On the way the service is killed twice and stays away
 * for some time, and all processes of PHP are killed twice where that is possible, each while an image is in progress.
 */
export async function runThroughOutages(settings: RunSettings): Promise<RunOutcome> {
  const dataDir = await mkdtemp(join(tmpdir(), 'imagewright-run-'));
  const env = { DATA_DIR: dataDir, PORT: String(await freePort()) };
  const apiKey = await createAccountIn(env, 'site@example.com', settings.images + 100);
  let service = await startServiceProcess(env);
  const site = await startSite(settings.site);
  const stopCron = startCron(site, settings.cronSeconds);
  const killedAt: RunOutcome['killedAt'] = { service: [], php: [] };
  try {
    const admin = await prepareLibrary(site, { images: settings.images, apiKey, url: service.url });
    const before = await clientOf(service, apiKey).balance();
    const begin = performance.now();
    await admin.json('POST', '/run');
    const progress = async () => (await admin.json<{ run: Progress }>('GET', '/run')).run;

    await reach(progress, settings.images * 0.15);
    killedAt.service.push((await inProgress(site, progress)).done);
    await service.kill();
    await sleep(settings.awaySeconds * 1000);
    service = await startServiceProcess(env);
    await reach(progress, settings.images * 0.3);
    await killPhp(site, progress, killedAt.php, settings);
    await reach(progress, settings.images * 0.45);
    killedAt.service.push((await inProgress(site, progress)).done);
    await service.kill();
    await sleep(settings.awaySeconds * 1000);
    service = await startServiceProcess(env);
    await reach(progress, settings.images * 0.6);
    await killPhp(site, progress, killedAt.php, settings);
    const end = await reach(progress, Number.POSITIVE_INFINITY);

    const seconds = (performance.now() - begin) / 1000;
    const charged = before - (await clientOf(service, apiKey).balance());
    const log = (await site.debugLog()).split('\n').filter((line) => line.includes('imagewright/'));
    await service.terminate();
    return {
      ...{ seconds, charged, killedAt, done: end.done, noGain: end.noGain, failed: end.failed, log: log.join('\n') },
      exports: await countExports(site),
      audit: await auditOf(env),
    };
  } finally {
    await stopCron();
    await site.stop();
    await service.kill();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Calls WP-Cron as the cron of a system does. Returns a function that ends this. */
function startCron(site: Site, seconds: number): () => Promise<unknown> {
  const calls = new Set<Promise<unknown>>();
  const call = () => {
    const made = fetch(`${site.url}/wp-cron.php?doing_wp_cron`)
      .then((response) => response.arrayBuffer())
      // PHP is killed meanwhile.
      .catch(() => {})
      .finally(() => calls.delete(made));
    calls.add(made);
  };
  const timer = setInterval(call, seconds * 1000);
  return () => {
    clearInterval(timer);
    return Promise.all(calls);
  };
}

/** Connects the site with the service and fills its library with different photographs that get smaller. */
async function prepareLibrary(site: Site, options: { images: number; apiKey: string; url: string }) {
  const { images, apiKey, url } = options;
  await site.define({ IMAGEWRIGHT_URL: url, IMAGEWRIGHT_API_KEY: apiKey });
  await site.php('return activate_plugin( "imagewright/imagewright.php" );');
  await site.php('update_option( "imagewright_settings", array( "auto" => false ) );');
  const admin = await site.logIn();
  const ids: number[] = [];
  for (let index = 0; index < Math.min(8, images); index += 1) {
    ids.push(await admin.upload(`photo-${index}.jpg`, await photograph(400 + 8 * index), 'image/jpeg'));
  }
  const code = 'copy_attachments( $ids, $from, $count );';
  await site.addMuPlugin(COPY);
  for (let from = 0; from < images - ids.length; from += BATCH) {
    const count = Math.min(BATCH, images - ids.length - from);
    await site.php(code, { ids, from, count });
  }
  return admin;
}

/** Waits until a number of images is finished, or the run has ended. @throws Error if it stopped */
async function reach(read: () => Promise<Progress>, count: number): Promise<Progress> {
  for (;;) {
    const now = await read();
    if (now.state === 'stopped') throw new Error(`the run has stopped: ${JSON.stringify(now.reason)}`);
    if (now.state === 'done' || now.done + now.noGain + now.failedCount >= count) return now;
    await sleep(250);
  }
}

/** Waits until PHP works on an image. */
async function inProgress(site: Site, read: () => Promise<Progress>): Promise<Progress> {
  while ((await site.php<number>(IN_PROGRESS)) === 0) await sleep(20);
  return read();
}

/** Kills PHP while it works on an image, if this server of PHP can be killed. */
async function killPhp(site: Site, read: () => Promise<Progress>, killedAt: number[], settings: RunSettings) {
  if (!site.killPhp) {
    console.warn('SKIPPED: PHP is not killed during the run, since only PHP-FPM starts its processes again.');
    return;
  }
  killedAt.push((await inProgress(site, read)).done);
  site.killPhp();
  while (await fetch(site.url).then((response) => response.status !== 200)) await sleep(50);
  if (settings.skipsWaiting) await site.php(LATER);
}

/** Counts the different exports of the optimized images. */
async function countExports(site: Site): Promise<number> {
  return site.php<number>(
    `$jobs = array();
    foreach ( get_posts( array( 'post_type' => 'attachment', 'post_status' => 'any', 'fields' => 'ids', 'numberposts' => -1 ) ) as $id ) {
      $state = imagewright()->get( Imagewright_State::class )->get( $id );
      if ( $state && 'optimized' === $state['status'] ) { $jobs[ $state['job'] ] = true; }
    }
    return count( $jobs );`,
  );
}

/** A port that is free now. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
