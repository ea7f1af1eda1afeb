import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startFpm, whenServing } from './php-fpm.ts';
import { isRoot, programPath, startProgram } from './program.ts';
import type { Served, ServeOptions } from './serve-native.ts';

/** Serves a site with nginx, default buffering and PHP-FPM. Requires both programs. */
export async function serveBehindNginx({ www, port, memoryLimit, lines }: ServeOptions): Promise<Served> {
  const home = join(www, '../nginx');
  await mkdir(join(home, 'temporary'), { recursive: true });
  const fpm = await startFpm({ home, memoryLimit });
  const program = programPath('NGINX');
  const configuration = join(home, 'nginx.conf');
  const types = join(program, '../../../etc/nginx');
  await writeFile(configuration, nginxConfig({ home, socket: fpm.socket, www, port, types, lines }));
  const args = ['-p', home, '-e', join(home, 'error.log'), '-c', configuration];
  const log = join(home, 'output.log');
  const nginx = startProgram(program, args, log);
  return whenServing({ url: `http://127.0.0.1:${port}/`, server: nginx, fpm, log });
}

/** `fastcgi_buffering` is not set: the plugin must work with its default. */
function nginxConfig(options: {
  home: string;
  socket: string;
  www: string;
  port: number;
  types: string;
  lines: string;
}): string {
  const { home, socket, www, port, types, lines } = options;
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `  ${name}_temp_path ${join(home, 'temporary', name)};`,
  );
  return `daemon off;
${isRoot ? 'user root;' : ''}
worker_processes 2;
pid ${join(home, 'nginx.pid')};
events { worker_connections 256; }
http {
${temporary.join('\n')}
  include ${types}/mime.types;
  types { image/webp webp; image/avif avif; }
  access_log off;
  gzip on;
  gzip_types text/plain text/css application/json application/javascript text/event-stream;
  client_max_body_size 64m;
  server {
    listen 127.0.0.1:${port};
    root ${www};
    index index.php;
    ${lines}
    location / { try_files $uri $uri/ /index.php?$args; }
    location ~ \\.php$ {
      include ${types}/fastcgi_params;
      fastcgi_param SCRIPT_FILENAME $document_root$fastcgi_script_name;
      fastcgi_param HTTP_HOST $http_host;
      fastcgi_pass unix:${socket};
      fastcgi_read_timeout 600s;
    }
  }
}
`;
}
