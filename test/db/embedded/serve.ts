// Serves a directory in a process of its own; prints its address and stays until it is killed.
import { startEmbedded } from '../../../server/db/embedded/index.ts';

const [directory = ''] = process.argv.slice(2);
const { uri } = await startEmbedded({ directory });
console.log(uri);
setInterval(() => {}, 1000);
