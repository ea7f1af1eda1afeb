// Builds the scripts of the plugin alone, into the folder that is given: `npx tsx plugin-bridge/wordpress/build/scripts.ts build`.
import { resolve } from 'node:path';
import { bundleScripts } from './bundle-scripts.ts';

const [folder] = process.argv.slice(2);
if (!folder) throw new Error('expected a folder');
await bundleScripts(resolve(folder));
