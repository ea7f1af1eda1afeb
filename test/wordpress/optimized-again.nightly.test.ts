import { expect, it } from 'vitest';
import { photograph } from './rig.ts';
import { useRig } from './use-rig.ts';

const { admin, post, upload, remove } = useRig({ delivery: 'beside' });

// Each process of PHP as WebAssembly remembers files that another one has removed. Requests beside the one in question spread the
// work over the processes.
it('an image is optimized, restored and optimized again, by whichever process', async () => {
  const { id } = await upload('again.jpg', await photograph(2000));
  for (let round = 0; round < 5; round++) {
    for (const [action, status] of [
      ['optimize', 'optimized'],
      ['restore', 'none'],
    ]) {
      const others = Promise.all([1, 2, 3].map(() => admin.json('GET', `/attachments/${id}`)));
      expect([round, ...(await post(`/attachments/${id}/${action}`))]).toMatchObject([round, 200, { status }]);
      await others;
    }
  }
  await remove(id);
});
