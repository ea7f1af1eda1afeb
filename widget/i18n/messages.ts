/** Forms of a text by plural category of its `count`. */
export type PluralForms = { readonly other: string } & {
  readonly [Form in 'zero' | 'one' | 'two' | 'few' | 'many']?: string;
};

/**
 * Texts by key; `{name}` is a placeholder. A text with a count can have its plural forms separated by `|`: two are
 * `one|other`, four `one|two|few|other`, five `one|two|few|many|other`.
 */
export type Messages = { readonly [key: string]: string | PluralForms };
