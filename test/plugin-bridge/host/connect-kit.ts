import type { Balance } from '#contract';
import type { HostKit } from '../../../plugin-bridge/host/conformance/index.ts';
import { startFaultProxy } from '../../support/fault-proxy.ts';
import type { TestAccount } from '../../support/service.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';
import { charged, connectShelf } from './connect-shelf.ts';

/** The real service for hosts under test, behind a proxy that can take it away. */
interface Connect extends Required<Pick<HostKit, 'connect' | 'offer'>> {
  /** Address of the proxy. */
  url: string;
  close(): Promise<void>;
}

/**
 * Starts it.
 * @param through gives the key to the CMS that forwards requests, and returns the address there. Missing: the element has the key.
 */
export async function startConnect(through?: (apiKey: string) => Promise<string>): Promise<Connect> {
  let offers = 0;
  const service = await sharedService();
  const proxy = await startFaultProxy(service.url);
  return {
    url: proxy.url,
    async offer(_, bytes) {
      offers += 1;
      const address = `/v1/sessions/sess_${'0'.repeat(22)}/download?filename=${offers}.webp`;
      const path = new RegExp(`^${address.replace(/[?.]/g, '\\$&')}$`);
      proxy.inject({ kind: 'answer', status: 200, html: new TextDecoder().decode(bytes) }, { path, times: 1e9 });
      return address;
    },
    async connect(host, { credits, wrongKey = false }) {
      const account = await service.createAccount({ credits });
      const used = wrongKey ? { ...account, apiKey: `${account.apiKey.slice(0, -4)}0000` } : account;
      const way = through ? { url: await through(used.apiKey) } : { url: proxy.url, account: used };
      const { connection } = await connectShelf({ ...way, host });
      return {
        run: (ids) => connection.run(ids),
        resume: () => connection.resume(),
        charged: () => charged(account),
        setAway: (isAway) => (isAway ? proxy.inject({ kind: 'lose-request' }, { times: 1e9 }) : proxy.reset()),
        setCredits: (wanted) => setCredits(service, account, wanted),
      };
    },
    close: () => proxy.close(),
  };
}

/** Sets the balance of an account. */
export async function setCredits(
  { service }: SharedService,
  { accountId, api }: TestAccount,
  wanted: number,
): Promise<void> {
  const { balance } = await api.readJson<Balance>('/v1/credits/balance');
  const ref = `test-${accountId}-${wanted}`;
  await service.accounts.ledger.grant({ accountId, ref, amount: wanted - balance });
}
