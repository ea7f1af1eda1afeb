import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { composeService } from '../compose.ts';
import { loadConfig } from '../config/index.ts';
import { listen } from '../http/index.ts';
import { createLogger } from '../observability/index.ts';

/** A service that lives as long as the demonstration. */
export interface Instance {
  url: string;
  apiKey: string;
  /** Stops it and removes everything it kept. */
  close(): Promise<void>;
}

/** Starts the whole service on a free port and a temporary directory, with one account. */
export async function startInstance(): Promise<Instance> {
  const directory = await mkdtemp(join(tmpdir(), 'imagewright-demo-'));
  try {
    const config = loadConfig({ DATA_DIR: directory, PORT: '0', SHUTDOWN_SECONDS: '0' });
    const service = await composeService(config, createLogger({ level: 'silent', format: 'json' }));
    await service.start();
    const server = await listen(service.app, config.http);
    service.listensAt(server.url);
    const account = await service.accounts.create({ email: 'demo@imagewright.local' });
    const { apiKey } = await service.accounts.keys.create({ accountId: account.id, name: 'demo' });
    return {
      url: server.url,
      apiKey,
      async close() {
        await service.stop(() => server.close());
        await rm(directory, { recursive: true, force: true });
      },
    };
  } catch (error) {
    await rm(directory, { recursive: true, force: true });
    throw error;
  }
}
