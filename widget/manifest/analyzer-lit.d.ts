declare module '@custom-elements-manifest/analyzer/src/features/framework-plugins/lit/lit.js' {
  /** Plugins of the analyzer for Lit. */
  export function litPlugin(): object[];
}
