declare module '@custom-elements-manifest/analyzer/src/features/framework-plugins/lit/lit.js' {
  /** What the analyzer has to know of Lit. */
  export function litPlugin(): object[];
}
