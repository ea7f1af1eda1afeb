// Real plugins of others beside this one: `npm run drill:wordpress-plugins`. IMAGEWRIGHT_DRILL_PLUGINS names their folders, separated by colons.
import { tryPlugins } from './wordpress-plugins.ts';

const folders = (process.env.IMAGEWRIGHT_DRILL_PLUGINS ?? '').split(':').filter(Boolean);
if (folders.length === 0) {
  console.error('IMAGEWRIGHT_DRILL_PLUGINS names no folder of a plugin: expected paths, separated by colons.');
  process.exit(2);
}
const faults = await tryPlugins(folders);
console.log(faults === 0 ? 'Everything held.' : `${faults} did not hold.`);
process.exit(faults === 0 ? 0 : 1);
