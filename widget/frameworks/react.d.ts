import type { DetailedHTMLProps, HTMLAttributes } from 'react';
import type { ImageOptimizer } from '../index.ts';
import type { ImageOptimizerHandlers, ImageOptimizerProperties } from './properties.d.ts';

export { ImageOptimizer } from '../index.ts';

/** Properties, and handlers named `on` and the event: `onio-export`. */
export interface ImageOptimizerProps extends ImageOptimizerProperties, ImageOptimizerHandlers {}

declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      'image-optimizer': ImageOptimizerProps &
        Omit<DetailedHTMLProps<HTMLAttributes<ImageOptimizer>, ImageOptimizer>, keyof ImageOptimizerProps>;
    }
  }
}
