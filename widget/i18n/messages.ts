/** Forms of a text by the plural category of its `count`. */
export type PluralForms = { readonly other: string } & {
  readonly [Form in 'zero' | 'one' | 'two' | 'few' | 'many']?: string;
};

/**
 * Texts by key; `{name}` is filled in. A text with a count may also hold its plural forms with `|` between them: two are
 * `one|other`, six are `zero|one|two|few|many|other`.
 */
export type Messages = { readonly [key: string]: string | PluralForms };
