import { html, nothing, type TemplateResult } from 'lit';
import type { Profile } from '#contract';
import type { LocaleName } from '../i18n/index.ts';
import { icon } from '../styles/index.ts';
import { VERSION } from '../version.ts';
import { chooseLanguage, LANGUAGES, language, STRINGS } from './language.ts';
import { mark, navIcon } from './nav-icon.ts';
import { BASE } from './router.ts';
import { NAVIGATION, NOT_FOUND, ROUTES, titleOf } from './routes.ts';
import { applyTheme, readTheme, THEMES } from './theme.ts';

/** State of the frame around the pages. */
export interface Frame {
  profile: Profile;
  page: string;
  menuOpen: boolean;
  onMenu(): void;
  onLogOut(): void;
  onSkip(): void;
}

/** Pages that show the balance themselves. */
const WITH_BALANCE = ['', 'credits'];
const showsBalance = ({ page }: Frame) => WITH_BALANCE.includes(page);
const addressOf = (page: string) => (page ? `${BASE}/${page}` : BASE);

/** Renders the brand as a link to the first page. */
export const brand = (): TemplateResult => html`<a class="brand" href=${BASE}>${mark}${STRINGS.brand}</a>`;

/** Renders the sidebar: brand, navigation, account. On phones a bar with a menu button. */
export function renderSide(frame: Frame): TemplateResult {
  const { profile, menuOpen } = frame;
  return html`<header class="side" ?data-open=${menuOpen}>
    <button class="button skip" @click=${frame.onSkip}>${STRINGS.skip}</button>
    <div class="head">
      ${brand()}
      ${showsBalance(frame) ? nothing : html`<span class="balance" aria-hidden="true">${creditsOf(profile)}</span>`}
      <button class="button icon-only menu" aria-expanded=${menuOpen} aria-controls="more" @click=${frame.onMenu}>
        ${menuOpen ? icon('close') : navIcon('menu')}<span class="visually-hidden">${STRINGS.menu}</span>
      </button>
    </div>
    <div class="more" id="more">
      <nav aria-label=${STRINGS.pages}>${NAVIGATION.map((group) => renderGroup(group, frame))}</nav>
      <div class="foot">
        ${renderChoices()}
        <p class="who"><span class="mail" title=${profile.email}><bdi>${profile.email}</bdi></span><span>${showsBalance(frame) ? '' : `${creditsOf(profile)} · `}${profile.plan}</span></p>
        <button class="button" @click=${frame.onLogOut}>${STRINGS.logOut}</button>
        <p class="who">${STRINGS.brand} ${VERSION}</p>
      </div>
    </div>
  </header>`;
}

const creditsOf = ({ balance }: Profile) => STRINGS.overview.credits({ count: balance });

function renderGroup(group: (typeof NAVIGATION)[number], { profile, page }: Frame): TemplateResult | typeof nothing {
  if (group.for === 'operator' && profile.role !== 'operator') return nothing;
  return html`${group.caption ? html`<h2 class="caption">${STRINGS.groups[group.caption]}</h2>` : nothing}
    <ul>
      ${group.entries.map(
        (entry) => html`<li>
          <a href=${addressOf(entry.page)} aria-current=${entry.page === page ? 'page' : page === `${entry.page}/account` ? 'true' : 'false'}>
            ${navIcon(entry.icon)}${titleOf(ROUTES[entry.page] ?? NOT_FOUND)}
          </a>
        </li>`,
      )}
    </ul>`;
}

/** Renders the choices of language and colour scheme. */
export function renderChoices(): TemplateResult {
  const chosen = language().locale;
  const choose = ({ target }: Event) => void chooseLanguage((target as HTMLSelectElement).value as LocaleName);
  return html`<div class="choices">
    <select class="input languages" aria-label=${STRINGS.language} @change=${choose}>
      ${Object.entries(LANGUAGES).map(([name, own]) => html`<option value=${name} lang=${name} ?selected=${name === chosen}>${own}</option>`)}
    </select>
    ${renderThemes()}
  </div>`;
}

function renderThemes(): TemplateResult {
  const chosen = readTheme();
  return html`<fieldset class="themes">
    <legend class="visually-hidden">${STRINGS.theme}</legend>
    ${THEMES.map(
      (theme) => html`<label>
        <input type="radio" name="theme" value=${theme} ?checked=${theme === chosen} @change=${() => applyTheme(theme)} />
        <span>${STRINGS.themes[theme]}</span>
      </label>`,
    )}
  </fieldset>`;
}
