import type { PhpClass } from './arrows.ts';

interface Members {
  parent: string;
  /** Methods: true if other classes may call them. */
  methods: Map<string, boolean>;
  names: Set<string>;
  /** Classes of injected objects, by property. */
  objects: Map<string, string>;
}

/** Reads the methods, constants and properties of classes. */
function membersOf(classes: readonly PhpClass[]): Map<string, Members> {
  return new Map(
    classes.map(({ name, code }) => [
      name,
      {
        parent: /^(?:abstract |final )?class \w+ extends (\w+)/m.exec(code)?.[1] ?? '',
        methods: new Map(
          [...code.matchAll(/(public|protected|private) (?:static )?function (\w+)\(/g)].map(
            ([, scope, method = '']) => [method, scope === 'public'],
          ),
        ),
        names: new Set(
          [...code.matchAll(/\bconst (\w+)|(?:public|protected|private) (?:[\w?]+ )?\$(\w+)/g)].map(
            ([, constant, property]) => constant ?? property ?? '',
          ),
        ),
        objects: new Map(
          [...code.matchAll(/private (Imagewright_\w+) \$(\w+);/g)].map(([, type = '', property = '']) => [
            property,
            type,
          ]),
        ),
      },
    ]),
  );
}

/**
 * Lists uses of methods, constants and properties that their classes do not have, or that are private to them, and methods that no
 * class and none of `others` (files of functions) uses. A name in quotation marks counts as a use.
 */
export function wrongCalls(classes: readonly PhpClass[], others = ''): string[] {
  const members = membersOf(classes);
  const used = new Set(
    [...[others, ...classes.map(({ code }) => code)].join('\n').matchAll(/\)->(\w+)\(|\$hooks->(\w+)\(|'(\w+)'/g)].map(
      ([, chained, hook, quoted]) => chained ?? hook ?? quoted,
    ),
  );
  const has = (of: string, method: string, inside: boolean): boolean => {
    const found = members.get(of);
    if (!found) return false;
    used.add(method);
    return found.methods.has(method) ? inside || found.methods.get(method) === true : has(found.parent, method, inside);
  };
  const knows = (of: string, name: string): boolean => {
    const found = members.get(of);
    return found ? found.names.has(name) || knows(found.parent, name) : false;
  };
  const wrong = classes.flatMap(({ name, code }) => {
    const objects = members.get(name)?.objects ?? new Map<string, string>();
    const own = [...code.matchAll(/\$this->(\w+)\(|\bself::(\w+)\(|array\( (?:\$this|__CLASS__), '(\w+)' \)/g)]
      .map(([, a, b, c]) => a ?? b ?? c ?? '')
      .filter((method) => !has(name, method, true))
      .map((method) => `${name}: ${method}()`);
    const foreign = [...code.matchAll(/\$this->(\w+)->(\w+)\(|array\( \$this->(\w+), '(\w+)' \)/g)]
      .map(([, a, b, c, d]) => [a ?? c ?? '', b ?? d ?? ''] as const)
      .filter(([property, method]) => !has(objects.get(property) ?? '', method, false))
      .map(([property, method]) => `${name}: $this->${property}->${method}()`);
    const statics = [...code.matchAll(/\b(Imagewright_\w+)::(\w+)\(|'(Imagewright_\w+)', '(\w+)'/g)]
      .map(([, a, b, c, d]) => [a ?? c ?? '', b ?? d ?? ''] as const)
      .filter(([of, method]) => !has(of, method, false))
      .map(([of, method]) => `${name}: ${of}::${method}()`);
    const constants = [...code.matchAll(/\b(self|Imagewright_\w+)::([A-Z][A-Z_0-9]*)\b(?!\()/g)]
      .filter(([, of = '', constant = '']) => !knows(of === 'self' ? name : of, constant))
      .map(([found]) => `${name}: ${found}`);
    const properties = [...code.matchAll(/\$this->(\w+)\b(?!\()/g)]
      .filter(([, property = '']) => !knows(name, property))
      .map(([found]) => `${name}: ${found}`);
    return [...own, ...foreign, ...statics, ...constants, ...properties];
  });
  const idle = [...members].flatMap(([name, { methods }]) =>
    [...methods.keys()]
      .filter((method) => !method.startsWith('__') && !used.has(method))
      .map((method) => `${name}: ${method}() is not used`),
  );
  return [...new Set([...wrong, ...idle])];
}
