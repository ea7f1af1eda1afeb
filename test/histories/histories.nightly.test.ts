import { expect, it } from 'vitest';
import { drillHistories } from './drill-histories.ts';
import { startThreeServers } from './stages/three-servers.ts';

it('what was told stays true in random histories on three servers that are killed in turn', async () => {
  const stage = await startThreeServers();
  try {
    const failures = await drillHistories(stage, {
      minutes: null,
      seeds: '3',
      shape: { clients: 3, calls: 200, kills: 'anywhere' },
      shrinkMinutes: 0,
      report: console.log,
    });
    expect(failures).toBe(0);
  } finally {
    await stage.close();
  }
});
