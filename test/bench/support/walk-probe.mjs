// Runs inside a service that was started from its sources, and reports which functions of which files run. Plain JavaScript,
// since Node loads it before tsx. Must not know the service.
import { Session } from 'node:inspector/promises';

/** @typedef {{ url: string, start: number, end: number }} Place of a function: its file and its offsets there */

// The processes for images load this file, too.
if (process.argv[1]?.endsWith('server/main.ts')) await listen();

async function listen() {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  /** @type {string[]} Files in the order of their first watched function. */
  const order = [];
  const commands = {
    /** Returns the functions that ran since the last call. */
    ran: () => takeFunctions(session),
    /** Records from now on when these functions run for the first time. */
    watch: (/** @type {Place[]} */ places) => watch(session, places, order),
    order: async () => order,
  };
  process.on('message', async (/** @type {{ name: keyof typeof commands, places: Place[] }} */ { name, places }) => {
    process.send?.((await commands[name](places)) ?? null);
  });
  process.channel?.unref();
}

/** @param {Session} session @returns {Promise<Place[]>} */
async function takeFunctions(session) {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  return result
    .filter(({ url }) => url.includes('/server/'))
    .flatMap(({ url, functions }) =>
      functions
        .filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0)
        .map(({ ranges }) => ({ url, start: ranges[0]?.startOffset ?? 0, end: ranges[0]?.endOffset ?? 0 })),
    );
}

/** @param {Session} session @param {Place[]} places @param {string[]} order */
async function watch(session, places, order) {
  const scripts = new Map();
  session.on('Debugger.scriptParsed', ({ params }) => scripts.set(params.url, params.scriptId));
  await session.post('Debugger.enable');
  const urls = [...new Set(places.map(({ url }) => url))];
  Object.assign(globalThis, {
    imagewrightWalk: (/** @type {number} */ index) => {
      const url = urls[index] ?? '';
      if (!order.includes(url)) order.push(url);
    },
  });
  for (const { url, start, end } of places) {
    const scriptId = scripts.get(url);
    const { scriptSource } = /** @type {{ scriptSource: string }} */ (
      /** @type {unknown} */ (await session.post('Debugger.getScriptSource', { scriptId }))
    );
    const at = (/** @type {number} */ offset) => {
      const lines = scriptSource.slice(0, offset).split('\n');
      return { scriptId, lineNumber: lines.length - 1, columnNumber: lines.at(-1)?.length ?? 0 };
    };
    const { locations } = /** @type {{ locations: object[] }} */ (
      /** @type {unknown} */ (await session.post('Debugger.getPossibleBreakpoints', { start: at(start), end: at(end) }))
    );
    // A condition that is never true: the debugger notes the call and does not stop.
    const condition = `imagewrightWalk(${urls.indexOf(url)})`;
    for (const location of [locations[0], locations.at(-1)])
      if (location) await session.post('Debugger.setBreakpoint', { location, condition }).catch(() => {});
  }
}
