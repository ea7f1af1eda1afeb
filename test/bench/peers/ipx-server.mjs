// Serves the images of a folder through IPX, found from the folder that this process is started in. Prints its port.
// Argument: the folder of the images.
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const folder = createRequire(join(process.cwd(), 'package.json')).resolve.paths('ipx')?.[0] ?? '';
const { createIPX, createIPXNodeServer, ipxFSStorage } = await import(
  pathToFileURL(join(folder, 'ipx', 'dist', 'index.mjs')).href
);
const server = createServer(createIPXNodeServer(createIPX({ storage: ipxFSStorage({ dir: process.argv[2] }) })));
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address && typeof address === 'object') console.log(address.port);
});
process.on('disconnect', () => process.exit());
