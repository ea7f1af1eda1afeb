import {
  type Announcement,
  Optimizer,
  type OptimizerEvent,
  type OptimizerOptions,
} from '../../../widget/state/index.ts';
import { createScriptedService, type ScriptedService } from './scripted-service.ts';
import { createTestEnvironment, type TestEnvironment } from './test-environment.ts';

/** The flow with a scripted service and a clock, and all that it says. */
export interface Started {
  optimizer: Optimizer;
  service: ScriptedService;
  env: TestEnvironment;
  events: OptimizerEvent[];
  said: Announcement[];
  /** Details of the events of one type. */
  details<Name extends OptimizerEvent['type']>(type: Name): Extract<OptimizerEvent, { type: Name }>['detail'][];
  /** Ids of all items. */
  ids(): string[];
}

/** Starts the flow. Texts are their keys with their params. */
export function startOptimizer(
  options: OptimizerOptions = {},
  { service = createScriptedService(), env = createTestEnvironment() } = {},
): Started {
  const translate = (key: string, params: object = {}) => [key, ...Object.values(params)].join(' ');
  const optimizer = new Optimizer({ transport: service.transport, environment: env, translate, ...options });
  const events: OptimizerEvent[] = [];
  const said: Announcement[] = [];
  optimizer.on((event) => events.push(event));
  optimizer.onAnnounce((announcement) => said.push(announcement));
  return {
    optimizer,
    service,
    env,
    events,
    said,
    details: (type) => events.flatMap((event) => (event.type === type ? [event.detail as never] : [])),
    ids: () => optimizer.items.list().map(({ id }) => id),
  };
}

/** A file for the widget that begins as a GIF does: its other bytes do not matter. */
export function fileOf(name: string, { size = 1000, type = 'image/jpeg' } = {}): File {
  return new File(['GIF89a'.slice(0, size), new Uint8Array(Math.max(0, size - 6))], name, { type, lastModified: 1 });
}

/** Starts the flow and uploads files. */
export async function startWithFiles(
  count: number,
  options: OptimizerOptions = {},
  rest: Parameters<typeof startOptimizer>[1] = {},
) {
  const started = startOptimizer(options, rest);
  const { optimizer, env } = started;
  await optimizer.addFiles(Array.from({ length: count }, (_, index) => fileOf(`picture-${index}.jpg`)));
  await env.advance(20);
  return started;
}
