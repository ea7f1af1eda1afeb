// Owns the public element: its properties, methods and layout. The state module owns the flow.
export { ImageOptimizer } from './image-optimizer.ts';
