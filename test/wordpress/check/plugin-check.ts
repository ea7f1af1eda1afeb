import { spawnSync } from 'node:child_process';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { startSite } from '../site/site.ts';

/**
 * Runs the Plugin Check of wordpress.org with WP-CLI in a fresh site. `IMAGEWRIGHT_PLUGIN_CHECK` names the folder of the plugin
 * `plugin-check`, `IMAGEWRIGHT_WP_CLI` the file `wp-cli.phar`. Returns the report; empty without errors, null if one is not set.
 */
export async function checkWithPluginCheck(php: string): Promise<string | null> {
  const [plugin, cli] = [process.env.IMAGEWRIGHT_PLUGIN_CHECK, process.env.IMAGEWRIGHT_WP_CLI];
  if (!plugin || !cli) return null;
  const site = await startSite();
  try {
    const www = join(site.uploadsDir, '../..');
    const plugins = join(www, 'wp-content/plugins');
    await cp(plugin, join(plugins, 'plugin-check'), { recursive: true });
    const wp = (...args: string[]) => {
      const command = [
        cli,
        `--path=${www}`,
        `--require=${join(plugins, 'plugin-check/cli.php')}`,
        '--allow-root',
        ...args,
      ];
      return spawnSync(php, command, { encoding: 'utf8', maxBuffer: 1e8 });
    };
    const activated = wp('plugin', 'activate', 'plugin-check');
    if (activated.status !== 0) return `${activated.stdout}${activated.stderr}`;
    const { stdout, stderr, status } = wp('plugin', 'check', 'imagewright', '--format=csv', '--ignore-warnings');
    return status === 0 && !/\bERROR\b/.test(stdout) ? '' : `${stdout}${stderr}`;
  } finally {
    await site.stop();
  }
}
