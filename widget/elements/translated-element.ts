import { LitElement, type PropertyDeclarations } from 'lit';
import { createI18n, enCore, type I18n, loadLocale } from '../i18n/index.ts';

/** An element that is given its texts. Alone in a page it speaks English, which is loaded then. */
export class TranslatedElement extends LitElement {
  static override properties: PropertyDeclarations = { i18n: { attribute: false } };

  /** Texts and number formats. @default English */
  declare i18n: I18n;

  protected override async scheduleUpdate(): Promise<void> {
    this.i18n ??= createI18n({ locale: 'en', messages: await loadLocale('en').catch(() => enCore) });
    // Lit declares a promise for subclasses such as this one; its own method works at once.
    await super.scheduleUpdate();
  }
}
