declare module '*.css?inline' {
  const text: string;

  export { text as default };
}
