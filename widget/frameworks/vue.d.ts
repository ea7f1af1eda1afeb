import type { HTMLAttributes } from 'vue';
import type { ImageOptimizerEventMap } from '../index.ts';
import type { ImageOptimizerProperties } from './properties.d.ts';

export { ImageOptimizer } from '../index.ts';

type Camelized<Name extends string> = Name extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<Camelized<Rest>>}`
  : Name;

/** Handlers as Vue names them: `@io-export` is `onIoExport`. */
export type ImageOptimizerListeners = {
  [Name in keyof ImageOptimizerEventMap as `on${Capitalize<Camelized<Name>>}`]?:
    | ((event: ImageOptimizerEventMap[Name]) => void)
    | undefined;
};

declare module 'vue' {
  interface GlobalComponents {
    'image-optimizer': new () => {
      $props: ImageOptimizerProperties & ImageOptimizerListeners & Omit<HTMLAttributes, keyof ImageOptimizerProperties>;
    };
  }
}
