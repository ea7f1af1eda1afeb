declare module '@custom-elements-manifest/analyzer/src/features/framework-plugins/lit/lit.js' {
  /** Plugins that teach the analyzer Lit. */
  export function litPlugin(): object[];
}
