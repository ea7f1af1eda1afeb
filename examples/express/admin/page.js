import { connectHost, createRemoteHost } from '/packages/host/index.js';

const host = createRemoteHost('/admin/imagewright');
const connection = await connectHost(document.querySelector('image-optimizer'), host);
document.querySelector('button').addEventListener('click', async () => {
  const { images } = await host.list({ status: 'original' });
  await connection.add(images.map(({ id }) => id));
});
