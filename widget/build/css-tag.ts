/**
 * Replaces Lit's module of this name in all bundles. Every browser of `browsers.ts` adopts style sheets, so there is no fallback to
 * `<style>` elements. The compiler checks the types of styles, so there are no error messages for them.
 */
export class CSSResult {
  readonly cssText: string;
  #sheet: CSSStyleSheet | undefined;

  constructor(cssText: string) {
    this.cssText = cssText;
  }

  /** The sheet of this text, made for the first element that adopts it and shared by all. */
  get styleSheet(): CSSStyleSheet {
    if (!this.#sheet) {
      this.#sheet = new CSSStyleSheet();
      this.#sheet.replaceSync(this.cssText);
    }
    return this.#sheet;
  }

  toString(): string {
    return this.cssText;
  }
}

type Style = CSSResult | CSSStyleSheet;

/** True in every browser of `browsers.ts`. */
export const supportsAdoptingStyleSheets = true;

/** Returns a style of a text that is no literal. */
export const unsafeCSS = (text: unknown): CSSResult => new CSSResult(String(text));

/** Returns the style of a template, whose values are styles and numbers. */
export const css = (strings: TemplateStringsArray, ...values: (CSSResult | number)[]): CSSResult =>
  new CSSResult(String.raw({ raw: strings }, ...values));

/** Returns a style as it is: every browser of `browsers.ts` takes both kinds. */
export const getCompatibleStyle = (style: Style): Style => style;

/** Gives a shadow root its styles. */
export function adoptStyles(root: ShadowRoot, styles: Style[]): void {
  root.adoptedStyleSheets = styles.map((style) => (style instanceof CSSStyleSheet ? style : style.styleSheet));
}
