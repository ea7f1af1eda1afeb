import { connectHost } from '@imagewright/host';
import { createHost } from './host.js';

const host = await createHost(location.origin);
const element = document.querySelector('image-optimizer');
const connection = await connectHost(element, host);

const { images } = await host.list({});
document
  .querySelector('#media')
  .replaceChildren(
    ...images.map(({ filename }) => Object.assign(document.createElement('li'), { textContent: filename })),
  );
document.querySelector('#add').addEventListener('click', () => connection.add(images.map(({ id }) => id)));
