import { keptInProcess } from './kept-in-process.ts';
import { startTestService, type TestService } from './service.ts';

/** A service that other test files of this process use, too: nothing may depend on what else it does, or change it. */
export type SharedService = Omit<TestService, 'close'>;

const running = keptInProcess(
  () => startTestService(),
  (service) => service.close(),
);

/** The service with default settings that this process shares. `api` belongs to a new account at each call. */
export async function sharedService(): Promise<SharedService> {
  const { close, ...service } = await running();
  return { ...service, api: (await service.createAccount({ credits: 1000 })).api };
}
