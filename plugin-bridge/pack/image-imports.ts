import { typedEnds } from '../unplugin/typed-ends.ts';

const ABOUT = `// TypeScript knows an import of an image by its end alone: '?imagewright', '&imagewright', the formats or the preset. An import that ends
// otherwise, such as './beach.jpg?imagewright&widths=480', is TS2307; write './beach.jpg?widths=480&imagewright'. For the plugin both are the same.
`;

/** Declares imports of images by their ends. */
export function imageImports(): string {
  const modules = typedEnds().map(
    (end) => `declare module '*${end}' {
  const image: import('@imagewright/unplugin').OptimizedImage;
  export default image;
}
`,
  );
  return ABOUT + modules.join('');
}
