import MagicString from 'magic-string';
import { minify, type Plugin, type Rolldown } from 'vite';

interface Node {
  type: string;
  start: number;
}

/**
 * Minifies, with each statement on a line of its own: Node prints the whole line of an error that nothing catches. Two
 * plugins, so that each hands on a map of its own.
 */
export function shortLines(): Plugin[] {
  return [
    {
      name: 'minify',
      async renderChunk(code, { fileName }) {
        const {
          code: short,
          map,
          errors,
        } = await minify(fileName, code, {
          module: true,
          compress: true,
          mangle: true,
          sourcemap: true,
        });
        if (errors[0]) throw errors[0];
        return { code: short, map: (map ?? null) as Rolldown.SourceMapInput };
      },
    },
    {
      name: 'statements-on-lines',
      renderChunk(code) {
        const changed = new MagicString(code);
        for (const { start } of statementsOf(this.parse(code))) if (start > 0) changed.appendLeft(start, '\n');
        return { code: changed.toString(), map: changed.generateMap({ hires: true }) };
      },
    },
  ];
}

/** Yields the statements of the module, of its functions and of their blocks. */
function* statementsOf(value: unknown): Generator<Node> {
  if (typeof value !== 'object' || value === null) return;
  const { type, body } = value as { type?: string; body?: unknown };
  if ((type === 'Program' || type === 'BlockStatement') && Array.isArray(body)) yield* body as Node[];
  for (const part of Object.values(value)) yield* statementsOf(part);
}
