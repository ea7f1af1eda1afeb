import { html, type TemplateResult } from 'lit';
import type { I18n } from '../i18n/index.ts';
import { icon } from '../styles/index.ts';

/** Renders the button that closes a dialog: by `close`, else by the form of the method `dialog` around it. */
export const renderClose = ({ t }: I18n, close?: () => void): TemplateResult =>
  html`<button class="button quiet icon-only" part="button" aria-label=${t('action.close')} title=${t('action.close')} @click=${close}>${icon('close')}</button>`;
