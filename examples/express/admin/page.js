import { connectHost, createRemoteHost } from '/packages/host/index.js';

const host = createRemoteHost('/admin/imagewright');
const connection = await connectHost(document.querySelector('image-optimizer'), host);
const [optimize, restore] = document.querySelectorAll('button');
const idsOf = async (status) => (await host.list({ status, limit: 1000 })).images.map(({ id }) => id);
optimize.addEventListener('click', async () => connection.add(await idsOf('original')));
restore.addEventListener('click', async () => connection.restore(await idsOf('replaced')));
