/** Constants of `wp-config.php`. */
export type Constants = Record<string, string | number | boolean>;

/** Constants of all sites: no external requests, no cron, every PHP notice is logged. */
export const COMMON_CONSTANTS: Constants = {
  WP_HTTP_BLOCK_EXTERNAL: true,
  WP_ACCESSIBLE_HOSTS: '127.0.0.1,localhost',
  DISABLE_WP_CRON: true,
  AUTOMATIC_UPDATER_DISABLED: true,
  WP_DEBUG: true,
  WP_DEBUG_DISPLAY: false,
  WP_ENVIRONMENT_TYPE: 'local',
};

const SALTS = ['AUTH', 'SECURE_AUTH', 'LOGGED_IN', 'NONCE'].flatMap((name) => [`${name}_KEY`, `${name}_SALT`]);

/** A `wp-config.php` with these constants. */
export function configFile(constants: Constants): string {
  const salts = Object.fromEntries(SALTS.map((name) => [name, `for tests only: ${name}`]));
  const lines = Object.entries({
    DB_NAME: 'wordpress',
    DB_USER: '',
    DB_PASSWORD: '',
    DB_HOST: '',
    DB_CHARSET: 'utf8mb4',
    DB_COLLATE: '',
    ...salts,
    ...constants,
  }).map(([name, value]) => `define( '${name}', ${phpLiteral(value)} );`);
  return `<?php
${lines.join('\n')}
$table_prefix = 'wp_';
if ( ! defined( 'ABSPATH' ) ) {
	define( 'ABSPATH', __DIR__ . '/' );
}
require_once ABSPATH . 'wp-settings.php';
`;
}

/** A value as PHP writes it. */
export function phpLiteral(value: string | number | boolean): string {
  if (typeof value !== 'string') return String(value);
  return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
