// Owns the public element: what it is set by, what it does and how its parts stand together. The flow itself is the state's.
export { ImageOptimizer } from './image-optimizer.ts';
