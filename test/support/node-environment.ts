import { builtinEnvironments, type Environment } from 'vitest/runtime';
import { closeKept } from './kept-in-process.ts';

/** Vitest's environment `node`, which also ends what the files of a process have shared when the process ends. */
export default {
  ...builtinEnvironments.node,
  name: 'node-with-shared-things',
  async setup(global, options) {
    const node = await builtinEnvironments.node.setup(global, options);
    return {
      async teardown(ended) {
        await closeKept();
        await node.teardown(ended);
      },
    };
  },
} satisfies Environment;
