import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { answers, end, type ServeOptions } from './serve-native.ts';

/** Serves a site with nginx, default buffering and PHP-FPM. Requires both to be installed. */
export async function serveBehindNginx({ www, port }: ServeOptions): Promise<() => Promise<void>> {
  const home = join(www, '../nginx');
  const socket = join(home, 'php.sock');
  await mkdir(join(home, 'temporary'), { recursive: true });
  await writeFile(join(home, 'fpm.conf'), fpmConfig(home, socket));
  await writeFile(join(home, 'nginx.conf'), nginxConfig({ home, socket, www, port }));
  const fpmName = (await readdir('/usr/sbin')).find((name) => /^php-fpm[\d.]+$/.test(name));
  if (!fpmName) throw new Error('php-fpm is not installed');
  const log = createWriteStream(join(home, 'output.log'));
  const start = (file: string, args: string[]) => {
    const child = spawn(file, args, { detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.pipe(log, { end: false });
    child.stderr.pipe(log, { end: false });
    return child;
  };
  const isRoot = process.getuid?.() === 0;
  const fpm = start(`/usr/sbin/${fpmName}`, ['-F', '-y', join(home, 'fpm.conf'), ...(isRoot ? ['-R'] : [])]);
  const nginx = start('/usr/sbin/nginx', ['-p', home, '-e', join(home, 'error.log'), '-c', join(home, 'nginx.conf')]);
  await answers(`http://127.0.0.1:${port}/`, nginx);
  return async () => {
    await Promise.all([end(nginx), end(fpm)]);
  };
}

function fpmConfig(home: string, socket: string): string {
  const user = process.getuid?.() === 0 ? 'user = root\ngroup = root\n' : '';
  return `[global]
error_log = ${join(home, 'fpm.log')}
daemonize = no
[www]
${user}listen = ${socket}
pm = static
pm.max_children = 6
php_admin_value[memory_limit] = 512M
php_admin_value[upload_max_filesize] = 64M
php_admin_value[post_max_size] = 64M
php_admin_value[opcache.revalidate_freq] = 0
`;
}

/** `fastcgi_buffering` is not set: the plugin must work with its default. */
function nginxConfig({ home, socket, www, port }: { home: string; socket: string; www: string; port: number }): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `  ${name}_temp_path ${join(home, 'temporary', name)};`,
  );
  return `daemon off;
${process.getuid?.() === 0 ? 'user root;' : ''}
worker_processes 2;
pid ${join(home, 'nginx.pid')};
events { worker_connections 256; }
http {
${temporary.join('\n')}
  include /etc/nginx/mime.types;
  types { image/webp webp; image/avif avif; }
  access_log off;
  gzip on;
  gzip_types text/plain text/css application/json application/javascript text/event-stream;
  client_max_body_size 64m;
  server {
    listen 127.0.0.1:${port};
    root ${www};
    index index.php;
    location / { try_files $uri $uri/ /index.php?$args; }
    location ~ \\.php$ {
      include /etc/nginx/fastcgi_params;
      fastcgi_param SCRIPT_FILENAME $document_root$fastcgi_script_name;
      fastcgi_param HTTP_HOST $http_host;
      fastcgi_pass unix:${socket};
      fastcgi_read_timeout 600s;
    }
  }
}
`;
}
