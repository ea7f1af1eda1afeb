/** Texts by section and name. `{name}` is a placeholder; forms of a text with a count are separated by `|` (see `widget/i18n`). */
export type TextTree = { readonly [name: string]: string | TextTree };

/** Names of the placeholders of a text; a text with plural forms has `count`. */
type ParamNames<Text extends string> =
  | (Text extends `${string}{${infer Name}}${infer Rest}` ? Name | ParamNames<Rest> : never)
  | (Text extends `${string}|${string}` ? 'count' : never);

/** Texts as pages use them: a string, or a function of the placeholders. */
export type Bound<Tree> = {
  readonly [Name in keyof Tree]: Tree[Name] extends string
    ? [ParamNames<Tree[Name]>] extends [never]
      ? string
      : (params: { readonly [Param in ParamNames<Tree[Name]>]: string | number }) => string
    : Bound<Tree[Name]>;
};

/** The same texts in another language: none missing, none of its own. */
export type Translated<Tree> = {
  readonly [Name in keyof Tree]: Tree[Name] extends string ? string : Translated<Tree[Name]>;
};

/** Returns all texts by their path, e.g. `keys.name`. */
export function flattenTexts(tree: TextTree, path = ''): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, text] of Object.entries(tree)) {
    if (typeof text === 'string') flat[path + name] = text;
    else Object.assign(flat, flattenTexts(text, `${path}${name}.`));
  }
  return flat;
}

/** Makes the texts of a tree readable by name. Each reading asks `translate` again, so that the language may change. */
export function bindTexts<Tree extends TextTree>(
  tree: Tree,
  translate: (path: string, params?: Record<string, string | number>) => string,
  path = '',
): Bound<Tree> {
  const bound = {};
  for (const [name, text] of Object.entries(tree)) {
    const at = path + name;
    const read =
      typeof text !== 'string'
        ? { value: bindTexts(text, translate, `${at}.`) }
        : /[{|]/.test(text)
          ? { value: (params: Record<string, string | number>) => translate(at, params) }
          : { get: () => translate(at) };
    Object.defineProperty(bound, name, { enumerable: true, ...read });
  }
  return bound as Bound<Tree>;
}
