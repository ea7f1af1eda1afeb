import { createHash } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { hostname, networkInterfaces } from 'node:os';
import { describe, expect, it } from 'vitest';
import { isPublicAddress, type Resolve } from '../../server/sessions/guarded-request.ts';
import { createUrlImporter } from '../../server/sessions/import-url.ts';
import { IMAGE, LIMITS, OUTSIDE, useImportRig } from './import-rig.ts';

const rig = useImportRig();
const lookupAll: Resolve = (name) => lookup(name, { all: true });

describe('an allowed URL', () => {
  it('arrives byte for byte, with its name, size and hash', async () => {
    const sha256 = createHash('sha256').update(IMAGE).digest('hex');
    const imported = await rig.fetchToFile(`http://cdn.test:${rig.port}/a/Gr%C3%B6%C3%9Fe.png?x=1`);
    expect(imported).toEqual({ originalFilename: 'Größe.png', size: IMAGE.length, sha256 });
    expect((await readFile(rig.target)).equals(IMAGE)).toBe(true);
    expect(rig.requests[0]?.headers).toMatchObject({ 'accept-encoding': 'identity' });
    expect(rig.requests[0]?.headers.cookie ?? rig.requests[0]?.headers.authorization).toBeUndefined();
  });

  it.each([
    ['/', 'image'],
    ['/%2e%2e%2f%2e%2e%2fpasswd', 'passwd'],
    ['/%zz.png', '%zz.png'],
    ['/a%00b%0a.png', 'ab.png'],
  ])('with the path %s is named %s', async (path, name) => {
    expect((await rig.fetchToFile(`http://${OUTSIDE}:${rig.port}${path}`)).originalFilename).toBe(name);
  });

  it('may be sent as an octet stream, in chunks', async () => {
    rig.handle = (_, res) => {
      res.setHeader('content-type', 'application/octet-stream').write(IMAGE.subarray(0, 10));
      setTimeout(() => res.end(IMAGE.subarray(10)), 20);
    };
    expect((await rig.fetchToFile(`http://cdn.test:${rig.port}/x`)).size).toBe(IMAGE.length);
  });

  it('may redirect three times, not four', async () => {
    rig.handle = (req, res) => {
      const left = Number(req.url?.slice(1));
      if (left === 0) res.setHeader('content-type', 'image/png').end(IMAGE);
      else res.writeHead(302, { location: `/${left - 1}`, 'set-cookie': 'a=b' }).end('moved');
    };
    expect((await rig.fetchToFile(`http://cdn.test:${rig.port}/3`)).size).toBe(IMAGE.length);
    expect(rig.requests.map((req) => req.headers.cookie)).toEqual(Array(4).fill(undefined));
    await rm(rig.target);
    expect((await rig.refused(`http://cdn.test:${rig.port}/4`)).message).toContain('more than 3');
  });

  it('never overwrites a file', async () => {
    await writeFile(rig.target, 'mine');
    await expect(rig.fetchToFile(`http://cdn.test:${rig.port}/x`)).rejects.toMatchObject({ code: 'EEXIST' });
    expect(await readFile(rig.target, 'utf8')).toBe('mine');
  });
});

const TRICKS = [
  'http://127.0.0.1',
  'http://127.1',
  'http://0x7f000001',
  'http://0x7f.0.0.1',
  'http://2130706433',
  'http://0177.0.0.1',
  'http://0',
  'http://①②⑦.0.0.1',
  'http://127.0.0.1.',
  'http://[::1]',
  'http://[::]',
  'http://[::ffff:7f00:1]',
  'http://[::ffff:127.0.0.1]',
  'http://[::127.0.0.1]',
  'http://[64:ff9b::7f00:1]',
  'http://[2002:7f00:1::]',
  'http://[fe80::1]',
  'http://[fd00::1]',
  'http://169.254.169.254',
  'http://10.0.0.1',
  'http://100.64.0.1',
  'http://172.16.0.1',
  'http://192.168.0.1',
  'http://224.0.0.1',
];

describe('addresses that are not public', () => {
  it.each(TRICKS)('are refused as a literal: %s', async (origin) => {
    const error = await rig.refused(`${origin}:${rig.port}/latest/meta-data`);
    expect(error.code).toBe('url_import_failed');
    expect(error.message).toBe('The URL could not be imported: its host cannot be reached or is not allowed');
  });

  it.each(TRICKS)('are refused as the target of a redirect: %s', async (origin) => {
    rig.handle = (_, res) =>
      res.writeHead(302, { location: Buffer.from(`${origin}:${rig.port}/`).toString('latin1') }).end();
    expect((await rig.refused(`http://cdn.test:${rig.port}/`)).code).toBe('url_import_failed');
    expect(rig.requests).toHaveLength(1);
  });

  it.each([
    ['localhost', undefined],
    ['localhost.', undefined],
    ['own host name', undefined],
    ['internal.test', ['127.0.0.1']],
    ['internal6.test', ['::1']],
    ['mapped.test', ['::ffff:127.0.0.1']],
    ['mixed.test', [OUTSIDE, '127.0.0.1']],
    ['nowhere.test', []],
  ])('are refused behind the name %s', async (name, addresses) => {
    if (addresses) rig.names[name] = addresses;
    const host = name === 'own host name' ? hostname() : name;
    // Without addresses: the system's own resolver, which knows this name everywhere.
    if (host === 'localhost') expect(await lookupAll(host)).not.toEqual([]);
    const error = await rig.refused(`http://${host}:${rig.port}/`, addresses ? {} : { resolve: lookupAll });
    expect(error.message).toContain('cannot be reached or is not allowed');
    expect(error.message).not.toContain(host);
    expect(rig.requests).toHaveLength(0);
  });

  it('are refused when a name resolves to them the second time (DNS rebinding)', async () => {
    let asked = 0;
    rig.handle = (_, res) =>
      res.writeHead(302, { location: `http://rebind.test:${rig.port}/again`, connection: 'close' }).end();
    const rebinding: Resolve = async () => [{ address: asked++ === 0 ? OUTSIDE : '127.0.0.1', family: 4 }];
    expect((await rig.refused(`http://rebind.test:${rig.port}/`, { resolve: rebinding })).code).toBe(
      'url_import_failed',
    );
    expect(asked).toBe(2);
  });

  it('include every range that is not for the public, and this machine itself', () => {
    const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
    for (const { address } of own) expect(isPublicAddress(address), address).toBe(false);
    for (const address of [
      '0.0.0.0',
      '255.255.255.255',
      '192.0.2.1',
      '198.18.0.1',
      '240.0.0.1',
      '192.88.99.1',
      '168.63.129.16',
      'x',
      '',
    ]) {
      expect(isPublicAddress(address), address).toBe(false);
    }
    for (const address of [
      '2001::1',
      '2001:db8::1',
      '100::1',
      '4000::1',
      'fec0::1',
      'ff02::1',
      'fe80::1%eth0',
      '2001:470::5efe:7f00:1',
      '2001:470::200:5efe:a00:1',
    ]) {
      expect(isPublicAddress(address), address).toBe(false);
    }
    for (const address of ['8.8.8.8', '93.184.215.14', '2606:4700::1111']) {
      expect(isPublicAddress(address), address).toBe(true);
    }
  });
});

describe('URLs that are refused unseen', () => {
  it.each([
    ['file:///etc/passwd', 'http or https'],
    ['data:image/png;base64,AAAA', 'http or https'],
    ['ftp://cdn.test/x', 'http or https'],
    ['gopher://cdn.test/', 'http or https'],
    ['//cdn.test/x', 'http or https'],
    ['', 'http or https'],
    ['http://', 'http or https'],
    ['http://user:secret@cdn.test/x', 'user name'],
    ['http://cdn.test@127.0.0.1/x', 'user name'],
  ])('%s', async (url, why) => {
    const error = await rig.refused(url);
    expect(error.code).toBe('url_import_failed');
    expect(error.message).toContain(why);
    expect(error.message).not.toContain('secret');
  });

  it.each(['file:///etc/passwd', 'data:image/png;base64,AAAA', 'http://a:b@cdn.test/'])(
    'are refused as the target of a redirect: %s',
    async (location) => {
      rig.handle = (_, res) => res.writeHead(302, { location }).end();
      expect((await rig.refused(`http://cdn.test:${rig.port}/`)).code).toBe('url_import_failed');
    },
  );

  it('have another port than 80 and 443', async () => {
    const importer = createUrlImporter({ limits: LIMITS, resolve: async () => [{ address: '8.8.8.8', family: 4 }] });
    for (const url of ['http://cdn.test:22/', 'https://cdn.test:8443/', `http://cdn.test:${rig.port}/`]) {
      await expect(importer.fetchToFile({ url, target: rig.target })).rejects.toThrow('port 80 or 443');
    }
  });

  it('are local ones when nothing is relaxed for a test', async () => {
    const importer = createUrlImporter({ limits: LIMITS });
    for (const url of ['http://127.0.0.1/', 'http://localhost/', 'https://[::1]/', `http://${OUTSIDE}/`]) {
      await expect(importer.fetchToFile({ url, target: rig.target })).rejects.toMatchObject({
        code: 'url_import_failed',
      });
    }
  });
});
