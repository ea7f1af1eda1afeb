import { html, nothing, type TemplateResult } from 'lit';
import type { AccountView } from '#contract';
import { STRINGS } from './language.ts';

const { operator: texts } = STRINGS;
const BADGES = { active: 'success', suspended: 'danger', unclaimed: 'ring' };

/** Renders the state and role of an account. */
export function badgesOf({ state, role }: AccountView, isOwn: boolean): TemplateResult {
  return html`<span class="badge ${BADGES[state]}">${texts.states[state]}</span>
    ${role === 'operator' ? html`<span class="badge">${texts.isOperator}</span>` : nothing}
    ${isOwn ? html`<span class="badge">${texts.you}</span>` : nothing}`;
}

/** Returns the path, below the base, of the page that manages an account. */
export const managePageOf = (accountId: string, tab = ''): string =>
  `operator/account?account=${accountId}${tab && `&tab=${tab}`}`;
