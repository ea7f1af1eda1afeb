import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SiteOfNetwork } from './site.ts';
import { phpLiteral } from './site-config.ts';

/** Creates the tables of a network. Tools > Network Setup refuses a host with a port. */
const TABLES = `require_once ABSPATH . 'wp-admin/includes/upgrade.php';
global $wpdb;
foreach ( $wpdb->tables( 'ms_global' ) as $table => $name ) { $wpdb->$table = $name; }
install_network();
$done = populate_network( 1, $host, get_userdata( 1 )->user_email, 'Network', '/', false );
return is_wp_error( $done ) && 'no_wildcard_dns' !== $done->get_error_code() ? $done->get_error_message() : '';`;

const SECOND = `$id = wp_insert_site( array( 'domain' => $host, 'path' => '/', 'network_id' => 1, 'user_id' => 1, 'title' => 'Second' ) );
if ( is_wp_error( $id ) ) { return $id->get_error_message(); }
// It drops the colon before the port.
global $wpdb;
$wpdb->update( $wpdb->blogs, array( 'domain' => $host ), array( 'blog_id' => $id ) );
clean_blog_cache( $id );
foreach ( array( 'home' => "http://$host", 'siteurl' => "http://$host", 'permalink_structure' => '/%postname%/' ) as $name => $value ) {
  update_blog_option( $id, $name, $value );
}
return $id;`;

/** Converts a site to a network, adds a site that is served at `second`, and returns the id of that site. */
export async function createNetwork(
  site: SiteOfNetwork,
  { www, second }: { www: string; second: string },
): Promise<number> {
  const host = new URL(site.url).host;
  const problem = await site.php<string>(TABLES, { host });
  if (problem) throw new Error(`no network: ${problem}`);
  const constants = {
    ...{ WP_ALLOW_MULTISITE: true, MULTISITE: true, SUBDOMAIN_INSTALL: false },
    ...{ DOMAIN_CURRENT_SITE: host, PATH_CURRENT_SITE: '/', SITE_ID_CURRENT_SITE: 1, BLOG_ID_CURRENT_SITE: 1 },
  };
  const path = join(www, 'wp-config.php');
  const lines = Object.entries(constants).map(([name, value]) => `define( '${name}', ${phpLiteral(value)} );`);
  const config = await readFile(path, 'utf8');
  await writeFile(path, config.replace('<?php', `<?php\n${lines.join('\n')}\n`));
  const id = await site.php<number | string>(SECOND, { host: new URL(second).host });
  if (typeof id === 'string') throw new Error(`no second site: ${id}`);
  return id;
}
