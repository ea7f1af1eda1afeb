import { expect, it, vi } from 'vitest';
import { createSdkProvider } from '../../server/analysis/providers/sdk-provider.ts';

const loadModel = vi.hoisted(() => vi.fn());
vi.mock('../../server/analysis/providers/load-model.ts', () => ({ loadModel }));

it('a package is loaded again after a failure', async () => {
  loadModel.mockRejectedValueOnce(new Error('too many open files')).mockRejectedValueOnce(new Error('once more'));
  const settings = { kind: 'openai' as const, model: 'm', baseUrl: undefined, apiKey: 'k', local: false };
  const provider = createSdkProvider(settings);
  const image = { data: new Uint8Array(1), mediaType: 'image/png' as const };
  const ask = () => provider.ask({ system: 's', prompt: 'p', image, maxTokens: 100 }, new AbortController().signal);
  await expect(ask()).rejects.toThrow('too many open files');
  await expect(ask()).rejects.toThrow('once more');
  expect(loadModel).toHaveBeenCalledTimes(2);
});
