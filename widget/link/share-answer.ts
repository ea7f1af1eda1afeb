import { html, LitElement, nothing, type TemplateResult } from 'lit';
import type { ShareAnswer } from '#contract';
import { DIGITS, type I18n } from '../i18n/index.ts';
import { feedback, foundation } from '../styles/index.ts';
import { answerStyles } from './link.styles.ts';

/** An answer of a link's visitor, beside its image. The comment is plain text. */
export class ShareAnswerNote extends LitElement {
  static override styles = [foundation, feedback, answerStyles];
  static override properties = { i18n: { attribute: false }, answer: { attribute: false } };

  declare i18n: I18n;
  declare answer: ShareAnswer;

  protected override render(): TemplateResult {
    const { t, locale } = this.i18n;
    const { verdict, comment, at, isCurrent } = this.answer;
    const approved = verdict === 'approved';
    const key = approved ? (isCurrent ? 'approved' : 'earlier') : isCurrent ? 'change' : 'change-earlier';
    const time = new Intl.DateTimeFormat(locale, { ...DIGITS, dateStyle: 'medium', timeStyle: 'short' }).format(
      new Date(at),
    );
    return html`
      <span class="badge ${approved && isCurrent ? 'success' : 'warning'}">${t(key)}</span>
      <span class="muted numbers">${time}</span>
      ${comment ? html`<p dir="auto">${comment}</p>` : nothing}
    `;
  }
}
