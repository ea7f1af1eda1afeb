// Scores of Lighthouse for the pages of the service, on a phone and on a desktop: `npm run bench:lighthouse`
import { execFile } from 'node:child_process';
import { createServer } from 'node:net';
import { loadavg } from 'node:os';
import { promisify } from 'node:util';
import type { CreatedShare } from '#contract';
import { launchAnyBrowser } from '../support/find-browser.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { median, ROUNDS } from './support/table.ts';

/** Not among the packages of the project: it would bring 200 of its own, for this one script. */
const LIGHTHOUSE = 'lighthouse@12.8.2';
const GOALS = { performance: 98, accessibility: 100, shift: 0.03 };
const FORMS = { mobile: [], desktop: ['--preset=desktop'] };
const PHOTOS = ['mountains', 'nuthatch', 'dogs-portrait', 'stream'].map((name) => `photos/photo-${name}.jpg`);
const run = promisify(execFile);

interface VisitedPage {
  name: string;
  url: string;
  headers?: Record<string, string>;
}

interface Round {
  performance: number;
  accessibility: number;
  shift: number;
  /** Audits that cost points or failed. */
  found: string[];
}

interface Report {
  categories: { [name: string]: { score: number | null; auditRefs: { id: string; weight: number }[] } };
  audits: { [id: string]: { score: number | null; title: string; displayValue?: string; numericValue?: number } };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Sets up what the pages show: a claimed account with exports, and a link to a session with a sample. */
async function preparePages({ url, service, createAccount }: TestService): Promise<VisitedPage[]> {
  const { api, accountId } = await createAccount({ credits: 100 });
  const uploaded = await api.upload(PHOTOS);
  await api.run('sample', uploaded);
  await api.run('export', uploaded);
  const share = await api.readJson<CreatedShare>(`/v1/sessions/${uploaded.sessionId}/shares`, { json: {} });
  const link = new URL(await service.signIn.claims.createLink(accountId));
  const token = new URLSearchParams(link.hash.slice(1)).get('token');
  const claimed = await fetch(`${url}/account/claim`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Origin: url },
    body: JSON.stringify({ token, password: 'nine photographs of rain' }),
  });
  const cookie = claimed.headers.getSetCookie()[0]?.split(';')[0];
  if (!cookie) throw new Error(`Expected a cookie of the log-in, got ${claimed.status} ${await claimed.text()}`);
  return [
    { name: 'demo', url: `${url}/demo/` },
    { name: 'log-in', url: `${url}/dashboard/log-in` },
    { name: 'dashboard', url: `${url}/dashboard`, headers: { Cookie: cookie } },
    { name: 'share', url: share.url },
    { name: 'docs', url: `${url}/docs` },
    { name: 'docs/try', url: `${url}/docs/try` },
  ];
}

/** Looks at a page once, in a browser of its own. */
async function measure({ url, headers }: VisitedPage, form: keyof typeof FORMS): Promise<Round> {
  const port = await freePort();
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const browser = await launchAnyBrowser({ headless: true, args: [...sandbox, `--remote-debugging-port=${port}`] });
  try {
    const options = ['--quiet', '--output=json', `--port=${port}`, '--only-categories=performance,accessibility'];
    if (headers) options.push(`--extra-headers=${JSON.stringify(headers)}`);
    const command = ['--yes', LIGHTHOUSE, url, ...options, ...FORMS[form]];
    const { stdout } = await run('npx', command, { maxBuffer: 2 ** 27 });
    return readReport(JSON.parse(stdout) as Report);
  } finally {
    await browser.close();
  }
}

function readReport({ categories, audits }: Report): Round {
  const scoreOf = (name: string) => Math.round((categories[name]?.score ?? 0) * 100);
  const refs = Object.values(categories).flatMap(({ auditRefs }) => auditRefs);
  const found = refs.flatMap(({ id, weight }) => {
    const audit = audits[id];
    const lost = weight > 0 && audit?.score !== null && (audit?.score ?? 1) < 0.9;
    return lost ? [`${audit?.title} ${audit?.displayValue ?? ''}`.trim()] : [];
  });
  const shift = audits['cumulative-layout-shift']?.numericValue ?? Number.NaN;
  return { performance: scoreOf('performance'), accessibility: scoreOf('accessibility'), shift, found };
}

/** Prints medians of all rounds of a page; true if they meet the goals. */
function judge(place: string, rounds: Round[]): boolean {
  const of = (name: 'performance' | 'accessibility' | 'shift') => median(rounds.map((round) => round[name]));
  const [performance, accessibility, shift] = [of('performance'), of('accessibility'), of('shift')];
  const met = performance >= GOALS.performance && accessibility >= GOALS.accessibility && shift <= GOALS.shift;
  const each = rounds.map((round) => round.performance).join(' ');
  const cells = [performance, accessibility, shift.toFixed(3), met ? 'met' : 'MISSED'].map((cell) =>
    String(cell).padStart(13),
  );
  console.log(`${place.padEnd(20)}${cells.join('')}   ${each}`);
  if (!met) for (const line of new Set(rounds.flatMap(({ found }) => found))) console.log(`    ${line}`);
  return met;
}

const only = process.argv.slice(2);
const test = await startTestService({ SIGN_UP: 'open' });
try {
  const places = (await preparePages(test)).filter(({ name }) => only.length === 0 || only.includes(name));
  console.log(`Median of ${ROUNDS} rounds; load of the machine ${loadavg()[0]?.toFixed(1)}`);
  console.log(`${''.padEnd(20)}  performance accessibility layout shift`);
  for (const form of Object.keys(FORMS) as (keyof typeof FORMS)[]) {
    for (const place of places) {
      const rounds: Round[] = [];
      for (let round = 0; round < ROUNDS; round += 1) rounds.push(await measure(place, form));
      if (!judge(`${place.name}, ${form}`, rounds)) process.exitCode = 1;
    }
  }
} finally {
  await test.close();
}
