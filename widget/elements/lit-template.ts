/** A template as `html` of Lit makes it. Not the type of that package, so that pages need no types of Lit. */
export interface LitTemplate {
  readonly strings: TemplateStringsArray;
  readonly values: unknown[];
}
