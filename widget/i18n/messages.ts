/** Forms of a text by the plural category of its `count`. */
export type PluralForms = { readonly other: string } & {
  readonly [Form in 'zero' | 'one' | 'two' | 'few' | 'many']?: string;
};

/** Texts by key; `{name}` is filled in. */
export type Messages = { readonly [key: string]: string | PluralForms };
