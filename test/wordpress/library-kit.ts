import { readFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Settings } from '#contract';
import type {
  HostKit,
  MadeReplacement,
  NamedBytes,
  ReplacementOptions,
} from '../../plugin-bridge/host/conformance/index.ts';
import { createClient } from '../../plugin-bridge/sdk/index.ts';
import { createAttachTransport } from '../../plugin-bridge/wordpress/src/attach-transport.ts';
import { createRest } from '../../plugin-bridge/wordpress/src/rest.ts';
import type { SiteConfig } from '../../plugin-bridge/wordpress/src/site-config.ts';
import { createWordPressHost, type ExportSettings } from '../../plugin-bridge/wordpress/src/wordpress-host.ts';
import { setCredits } from '../plugin-bridge/host/connect-kit.ts';
import { charged, connectShelf } from '../plugin-bridge/host/connect-shelf.ts';
import { type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts';
import { type LocalServer, serveLocally } from '../support/serve-locally.ts';
import { borrowRig, type Rig } from './rig.ts';

/** A site with an administrator's page, and the proxy by which WordPress reaches the service. */
interface Present {
  rig: Rig;
  config: SiteConfig;
  browser: LocalServer;
  service: FaultProxy;
  /** Session of all exports: an account may hold 100. */
  sessionId: string | null;
  /** Damages the results that WordPress downloads, or no longer. */
  damage(isDamaged: boolean): void;
}

const DOWNLOADS = { path: /\/download\?/, times: Number.POSITIVE_INFINITY };

/** Makes the kit of the plugin's host, over a real WordPress with files beside the originals. */
export function libraryKit(images: readonly NamedBytes[]): HostKit {
  let present: Present;
  const rest = () => createRest(present.config);
  const open = () => createWordPressHost(rest(), present.config);
  return {
    images,
    async start(files) {
      present = await startSite(files);
      const { rig, browser, service } = present;
      let isFailing = false;
      async function failing(writes: string | null): Promise<void> {
        if (!writes && !isFailing) return;
        isFailing = writes !== null;
        const address = { IMAGEWRIGHT_URL: service.url };
        await rig.define(writes ? { ...address, IMAGEWRIGHT_TEST_WRITES: writes } : address);
      }
      return {
        host: open(),
        async reopen() {
          await failing(null);
          return open();
        },
        async files() {
          const paths = await rig.site.uploads();
          const read = paths.map(
            async (path) => [path, new Uint8Array(await readFile(join(rig.site.uploadsDir, path)))] as const,
          );
          return new Map(await Promise.all(read));
        },
        async overwrite(id, bytes) {
          const values = { id: Number(id), bytes: Buffer.from(bytes).toString('base64') };
          await rig.site.php('file_put_contents( get_attached_file( $id, true ), base64_decode( $bytes ) );', values);
        },
        failAt: (write, how) => failing(Number.isFinite(write) ? `${write} ${how}` : null),
        async close() {
          await browser.close();
          await service.close();
        },
      };
    },
    export: (image, options) => exportImage(present, image, options),
    async connect(host, { credits, wrongKey = false }) {
      const { rig, service, config } = present;
      const account = await rig.service.createAccount({ credits });
      const key = wrongKey ? `${account.apiKey.slice(0, -4)}0000` : account.apiKey;
      await rig.define({ IMAGEWRIGHT_URL: service.url, IMAGEWRIGHT_API_KEY: key });
      const transport = createAttachTransport(rest());
      const { connection } = await connectShelf({ url: `${config.root}/service`, host, transport });
      return {
        run: (ids) => connection.run(ids),
        resume: () => connection.resume(),
        charged: () => charged(account),
        setAway: (isAway) => (isAway ? service.inject({ kind: 'lose-request' }, { times: 1e9 }) : service.reset()),
        setCredits: (wanted) => setCredits(rig.service, account, wanted),
      };
    },
  };
}

async function startSite(files: readonly NamedBytes[]): Promise<Present> {
  const rig = await borrowRig({ credits: 1000, delivery: 'beside' });
  const service = await startFaultProxy(rig.service.url);
  await rig.define({ IMAGEWRIGHT_URL: service.url });
  await rig.site.addMuPlugin(fileURLToPath(new URL('site/faults.php', import.meta.url)));
  const user = await rig.site.logIn();
  for (const { name, bytes } of files) await user.upload(name, bytes, 'image/jpeg');
  const browser = await serveLocally(addCookie(rig.site.url, user.cookie));
  const page = await (await fetch(`${browser.url}/wp-admin/upload.php?page=imagewright-optimize`)).text();
  const [, printed = ''] = /window\.imagewrightConfig = (.*);$/m.exec(page) ?? [];
  const inBrowser = JSON.stringify(JSON.parse(printed)).replaceAll(rig.site.url, browser.url);
  return {
    ...{ rig, browser, service, config: JSON.parse(inBrowser) as SiteConfig, sessionId: null },
    damage: (isDamaged) =>
      isDamaged ? service.inject({ kind: 'answer', status: 200, html: 'damaged' }, DOWNLOADS) : service.reset(),
  };
}

/** Forwards to a site with the cookie of a person, as their browser sends it. */
function addCookie(site: string, cookie: string) {
  return createServer((req, res) => {
    const { method, headers } = req;
    const onward = request(new URL(req.url ?? '/', site), {
      method,
      headers: { ...headers, host: new URL(site).host, cookie },
    });
    onward.on('response', (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(res);
    });
    onward.on('error', () => res.destroy());
    req.pipe(onward);
  });
}

/** Exports an image as the element does, through WordPress: other rounds with other presets. */
async function exportImage(
  present: Present,
  { name, bytes }: NamedBytes,
  { round = 1, damaged = false }: ReplacementOptions,
): Promise<MadeReplacement> {
  const { config } = present;
  const rest = createRest(config);
  const { images } = await createWordPressHost(rest, config).list({ search: name.replace(/\.\w+$/, '') });
  const id = images.find(({ filename }) => filename === name)?.id ?? '';
  const client = createClient({ endpoint: `${config.root}/service`, headers: () => rest.headers() });
  const file = { file: new Blob([bytes as Uint8Array<ArrayBuffer>]), name, metadata: { clientRef: id } };
  const upload = { files: [file] };
  const uploaded = await (present.sessionId
    ? client.addImages(present.sessionId, upload)
    : client.createSession(upload));
  const { sessionId } = uploaded;
  present.sessionId = sessionId;
  const imageId = uploaded.images[0]?.id ?? '';
  const sizes = await rest.call<ExportSettings>('GET', '/export-settings', { query: { ids: [id] } });
  const settings = { ...sizes, format: 'webp', preset: round === 1 ? 'medium' : 'low' } as const;
  const { results } = await client.exportImages(sessionId, { images: [{ id: imageId }], settings }).result();
  const { variants = [], original } = results[0] ?? {};
  const fetchFile = (filename: string) => client.downloadFile(sessionId, filename);
  const full = new Uint8Array(await (await fetchFile(variants[0]?.filename ?? '')).arrayBuffer());
  present.damage(damaged);
  return {
    ...{ sessionId, imageId, metadata: null, settings: settings as unknown as Settings, full },
    original: { ...original, format: 'jpeg' } as MadeReplacement['original'],
    variants: variants.map((one) => ({ ...one, mime: 'image/webp', blob: () => fetchFile(one.filename) })),
  };
}
