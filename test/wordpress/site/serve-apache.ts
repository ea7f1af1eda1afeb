import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startFpm, whenServing } from './php-fpm.ts';
import { isRoot, programPath, startProgram } from './program.ts';
import type { Served, ServeOptions } from './serve-native.ts';

const MODULES = [
  ...['mpm_event', 'authz_core', 'dir', 'mime', 'setenvif', 'env', 'alias', 'deflate', 'filter'],
  ...['rewrite', 'headers', 'expires', 'proxy', 'proxy_fcgi'],
];

/** Rules that WordPress writes for permalinks. */
const PERMALINKS = `# BEGIN WordPress
<IfModule mod_rewrite.c>
RewriteEngine On
RewriteRule .* - [E=HTTP_AUTHORIZATION:%{HTTP:Authorization}]
RewriteBase /
RewriteRule ^index\\.php$ - [L]
RewriteCond %{REQUEST_FILENAME} !-f
RewriteCond %{REQUEST_FILENAME} !-d
RewriteRule . /index.php [L]
</IfModule>
# END WordPress
`;

/** Serves a site with Apache, which reads `.htaccess` files, and PHP-FPM. Requires both programs. */
export async function serveWithApache({ www, port, memoryLimit, lines }: ServeOptions): Promise<Served> {
  const home = join(www, '../apache');
  await mkdir(home, { recursive: true });
  // Apache refuses to serve as the superuser; the user it changes to reads the files.
  await chmod(join(www, '..'), 0o755);
  await writeFile(join(www, '.htaccess'), PERMALINKS);
  const fpm = await startFpm({ home, memoryLimit });
  const program = programPath('APACHE2');
  const modules = join(program, '../../lib/apache2/modules');
  const configuration = join(home, 'apache.conf');
  await writeFile(configuration, apacheConfig({ home, socket: fpm.socket, www, port, modules, lines }));
  await writeFile(join(home, 'mime.types'), MIME_TYPES);
  const log = join(home, 'output.log');
  const apache = startProgram(program, ['-D', 'FOREGROUND', '-f', configuration], log);
  return whenServing({ url: `http://127.0.0.1:${port}/`, server: apache, fpm, log });
}

const MIME_TYPES = `text/html html htm
text/css css
text/plain txt
text/javascript js mjs
application/json json
image/jpeg jpeg jpg
image/png png
image/gif gif
image/svg+xml svg
image/webp webp
image/avif avif
font/woff2 woff2
`;

function apacheConfig(options: {
  home: string;
  socket: string;
  www: string;
  port: number;
  modules: string;
  lines: string;
}): string {
  const { home, socket, www, port, modules, lines } = options;
  return `${MODULES.map((name) => `LoadModule ${name}_module ${modules}/mod_${name}.so`).join('\n')}
ServerRoot ${home}
ServerName 127.0.0.1
${isRoot ? 'User nobody\nGroup nogroup' : ''}
PidFile ${home}/apache.pid
ErrorLog ${home}/error.log
Mutex file:${home} default
Listen 127.0.0.1:${port}
StartServers 1
DocumentRoot ${www}
DirectoryIndex index.php
TypesConfig ${home}/mime.types
AddOutputFilterByType DEFLATE text/html text/css text/javascript application/json
LimitRequestBody 67108864
ProxyTimeout 600
<Directory ${www}>
  Options FollowSymLinks
  AllowOverride All
  Require all granted
</Directory>
<FilesMatch "\\.php$">
  SetHandler "proxy:unix:${socket}|fcgi://localhost/"
</FilesMatch>
${lines}
`;
}
