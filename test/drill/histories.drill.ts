// Random histories of calls with kills, compared with what was told: `npm run drill:histories -- --minutes 30 --form three-servers`.

import { parseArgs } from 'node:util';
import { drillHistories } from '../histories/drill-histories.ts';
import { startOneServer } from '../histories/stages/one-server.ts';
import { startThreeServers } from '../histories/stages/three-servers.ts';

const FORMS = { 'one-server': startOneServer, 'three-servers': startThreeServers };

const { values } = parseArgs({
  options: {
    /** Length. Default: as long as `--seeds` take, which are twelve. */
    minutes: { type: 'string' },
    /** Seeds with commas (`7,`), or their number. */
    seeds: { type: 'string', default: '12' },
    /** Calls of a history, of all clients together. */
    calls: { type: 'string', default: '200' },
    clients: { type: 'string', default: '3' },
    /** `one-server` or `three-servers`. */
    form: { type: 'string', default: 'one-server' },
    /** `none`, `exports` or `anywhere`. */
    kills: { type: 'string', default: 'anywhere' },
    /** Looks for a shorter history that fails too, for so many minutes. */
    shrink: { type: 'string', default: '0' },
  },
});
const start = FORMS[values.form as keyof typeof FORMS];
if (!start) throw new Error(`--form: expected ${Object.keys(FORMS).join(' or ')}, but received ${values.form}`);

const stage = await start();
try {
  const failures = await drillHistories(stage, {
    minutes: values.minutes === undefined ? null : Number(values.minutes),
    seeds: values.seeds,
    shape: { calls: Number(values.calls), clients: Number(values.clients), kills: values.kills as 'anywhere' },
    shrinkMinutes: Number(values.shrink),
    report: console.log,
  });
  process.exitCode = failures === 0 ? 0 : 1;
} finally {
  await stage.close();
}
