import type { Balance } from '#contract';
import type { HostKit } from '../../../plugin-bridge/host/conformance/index.ts';
import { startFaultProxy } from '../../support/fault-proxy.ts';
import { sharedService } from '../../support/shared-service.ts';
import { charged, connectShelf } from './connect-shelf.ts';

/** Makes what connects hosts under test to the real service, behind a proxy that can take it away. */
export async function startConnect(): Promise<{ connect: NonNullable<HostKit['connect']>; close(): Promise<void> }> {
  const service = await sharedService();
  const proxy = await startFaultProxy(service.url);
  return {
    async connect(host, { credits, wrongKey = false }) {
      const account = await service.createAccount({ credits });
      const { accountId, api } = account;
      const used = wrongKey ? { ...account, apiKey: `${account.apiKey.slice(0, -4)}0000` } : account;
      const { connection } = await connectShelf({ url: proxy.url, account: used, host });
      return {
        run: (ids) => connection.run(ids),
        resume: () => connection.resume(),
        charged: () => charged(account),
        setAway: (isAway) => (isAway ? proxy.inject({ kind: 'lose-request' }, { times: 1e9 }) : proxy.reset()),
        async setCredits(wanted) {
          const { balance } = await api.readJson<Balance>('/v1/credits/balance');
          const ref = `test-${accountId}-${wanted}`;
          await service.service.accounts.ledger.grant({ accountId, ref, amount: wanted - balance });
        },
      };
    },
    close: () => proxy.close(),
  };
}
