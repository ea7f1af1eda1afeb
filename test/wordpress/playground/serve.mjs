// @ts-nocheck: its package is installed by the tests that need it, beside this file
// Serves a WordPress with PHP as WebAssembly: `node serve.mjs <configuration as JSON>`. Ends when its parent does.
import { fileURLToPath, pathToFileURL } from 'node:url';

const { php, packages, port, tree, plugin, constants, strings, workers } = JSON.parse(process.argv[2] ?? '{}');
process.on('disconnect', () => process.exit(0));
// Of the folder that has the wanted version of PHP.
const { runCLI } = await import(pathToFileURL(`${packages}/@wp-playground/cli/index.js`).href);

await runCLI({
  command: 'server',
  php,
  port,
  workers,
  verbosity: 'quiet',
  wordpressInstallMode: 'install-from-existing-files-if-needed',
  'mount-before-install': [
    { hostPath: tree, vfsPath: '/wordpress' },
    // The folder that PHP looks for more settings in when it starts.
    {
      hostPath: fileURLToPath(new URL(`opcache-${php}.ini`, import.meta.url)),
      vfsPath: '/internal/shared/extensions/opcache.ini',
    },
  ],
  mount: plugin ? [{ hostPath: plugin, vfsPath: '/wordpress/wp-content/plugins/imagewright' }] : [],
  'define-bool': constants,
  define: strings,
  blueprint: {
    steps: [
      {
        step: 'runPHP',
        code: `<?php
          require '/wordpress/wp-load.php';
          $wp_rewrite->set_permalink_structure( '/%postname%/' );
          $wp_rewrite->flush_rules( false );`,
      },
    ],
  },
});
process.send?.('ready');
