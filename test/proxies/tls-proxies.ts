import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readBlock } from './blocks.ts';
import { type RunningProgram, startProgram } from './programs.ts';
import { type Certificate, HOST } from './tls-client.ts';

/** Options of a proxy of `docs/proxies.md`. */
export interface TlsProxyOptions {
  /** Path of the program. */
  file: string;
  /** `host:port` of the service. */
  service: string;
  tls: Certificate;
}

const SERVICE = '127.0.0.1:8080';
const PEM = `/etc/letsencrypt/live/${HOST}/fullchain.pem`;
const KEY = `/etc/letsencrypt/live/${HOST}/privkey.pem`;
const isRoot = process.getuid?.() === 0;

/** Returns a configuration of nginx around a block. Its log and temporary files lie in `folder`. */
function aroundNginx(block: string, folder: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(folder, name)};`,
  );
  return `daemon off;
${isRoot ? 'user root;' : ''}
pid ${join(folder, 'nginx.pid')};
events {}
http {
access_log off;
gzip on;
gzip_types application/json text/event-stream;
${temporary.join('\n')}
${block}
}
`;
}

/** Starts nginx with a configuration. */
export function startNginx(file: string, configure: (at: { folder: string; port: number }) => string) {
  return startProgram(async ({ folder, port }) => {
    await writeFile(join(folder, 'nginx.conf'), aroundNginx(configure({ folder, port }), folder));
    return { file, args: ['-p', folder, '-e', 'stderr', '-c', join(folder, 'nginx.conf')] };
  });
}

function startServiceNginx({ file, service, tls }: TlsProxyOptions): Promise<RunningProgram> {
  return startNginx(file, ({ port }) =>
    readBlock('nginx', 'nginx', {
      'listen 443': `listen 127.0.0.1:${port}`,
      [SERVICE]: service,
      [PEM]: tls.certificate,
      [KEY]: tls.key,
    }),
  );
}

/** Without certificates of an authority, redirects from port 80 and the port for administration. */
function startCaddy({ file, service, tls }: TlsProxyOptions): Promise<RunningProgram> {
  return startProgram(async ({ folder, port }) => {
    const block = readBlock('Caddy', 'caddyfile', {
      [`${HOST} {\n`]: `https://${HOST}:${port} {\n\ttls ${tls.certificate} ${tls.key}\n`,
      [SERVICE]: service,
    });
    await writeFile(join(folder, 'Caddyfile'), `{\n\tadmin off\n\tauto_https disable_redirects\n}\n${block}`);
    const env = { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
    return { file, env, args: ['run', '--config', join(folder, 'Caddyfile'), '--adapter', 'caddyfile'] };
  });
}

const MODULES = {
  ...{ mpm_event: '', authz_core: '', ssl: '', http2: '', proxy: '', proxy_http: '', headers: '' },
  // Debian switches these on; they must not get in the way.
  ...{ reqtimeout: 'RequestReadTimeout header=20-40,minrate=500 body=10,minrate=500', filter: '' },
  ...{ deflate: 'AddOutputFilterByType DEFLATE application/json text/css' },
};

function startApache({ file, service, tls }: TlsProxyOptions): Promise<RunningProgram> {
  const modules = join(dirname(file), '../lib/apache2/modules');
  return startProgram(async ({ folder, port }) => {
    const block = readBlock('Apache', 'apache', {
      '*:443': `127.0.0.1:${port}`,
      [SERVICE]: service,
      [PEM]: tls.certificate,
      [KEY]: tls.key,
    });
    const lines = [
      ...[`ServerRoot ${folder}`, `ServerName ${HOST}`, `PidFile ${folder}/httpd.pid`, `DefaultRuntimeDir ${folder}`],
      ...['ErrorLog /dev/stderr', `Listen 127.0.0.1:${port}`, ...(isRoot ? ['User www-data', 'Group www-data'] : [])],
      ...Object.keys(MODULES).map((name) => `LoadModule ${name}_module ${modules}/mod_${name}.so`),
      ...Object.values(MODULES),
    ];
    await writeFile(join(folder, 'httpd.conf'), `${lines.join('\n')}\n${block}`);
    return { file, args: ['-D', 'FOREGROUND', '-f', join(folder, 'httpd.conf')] };
  });
}

/** Both files of the page; the ports, the certificates and the place of the second file are changed. */
function startTraefik({ file, service, tls }: TlsProxyOptions): Promise<RunningProgram> {
  return startProgram(async ({ folder, port }) => {
    const dynamic = join(folder, 'imagewright.yml');
    const settings = readBlock('Traefik', 'yaml', {
      "':443'": `'127.0.0.1:${port}'`,
      '/etc/traefik/imagewright.yml': dynamic,
    });
    const block = readBlock('Traefik', 'yml', { [SERVICE]: service, [PEM]: tls.certificate, [KEY]: tls.key });
    await writeFile(dynamic, block);
    await writeFile(join(folder, 'traefik.yml'), settings);
    return { file, args: [`--configFile=${join(folder, 'traefik.yml')}`] };
  });
}

/** The TLS proxies of `docs/proxies.md`, by the name of their program. */
export const TLS_PROXIES = {
  nginx: startServiceNginx,
  caddy: startCaddy,
  apache2: startApache,
  traefik: startTraefik,
} as const;
