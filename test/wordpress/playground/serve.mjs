// @ts-nocheck: its package is installed by the tests that need it, beside this file
// Serves a WordPress with PHP as WebAssembly: `node serve.mjs <configuration as JSON>`. Ends when its parent does.
import { runCLI } from '@wp-playground/cli';

const { port, tree, plugin, constants, strings, workers } = JSON.parse(process.argv[2] ?? '{}');
process.on('disconnect', () => process.exit(0));

await runCLI({
  command: 'server',
  php: '8.3',
  port,
  workers,
  verbosity: 'quiet',
  wordpressInstallMode: 'install-from-existing-files-if-needed',
  'mount-before-install': [{ hostPath: tree, vfsPath: '/wordpress' }],
  mount: plugin ? [{ hostPath: plugin, vfsPath: '/wordpress/wp-content/plugins/imagewright' }] : [],
  'define-bool': constants,
  define: strings,
  blueprint: { steps: [{ step: 'setSiteOptions', options: { permalink_structure: '/%postname%/' } }] },
});
process.send?.('ready');
