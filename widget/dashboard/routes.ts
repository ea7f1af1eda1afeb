import type { NavIconName } from './nav-icon.ts';
import { STRINGS } from './strings.ts';

const { titles, groups } = STRINGS;

/** A page of the dashboard. */
export interface Route {
  /** Tag of the page's element. */
  tag: string;
  title: string;
  /** Allowed users. `visitor`: not logged in; `account`: logged in; `anyone`: both; `operator`: with that role. */
  for: 'visitor' | 'anyone' | 'account' | 'operator';
}

const page = (tag: string, title: string, forWhom: Route['for'] = 'account'): Route => ({ tag, title, for: forWhom });

/** Pages by their path below the base. */
export const ROUTES: Record<string, Route> = {
  '': page('overview-page', titles.overview),
  playground: page('playground-page', titles.playground),
  credits: page('credits-page', titles.credits),
  'settings/keys': page('keys-page', titles.keys),
  'settings/account': page('account-page', titles.account),
  docs: page('docs-page', titles.docs),
  operator: page('operator-page', titles.operator, 'operator'),
  'operator/log': page('log-page', titles.log, 'operator'),
  'log-in': page('log-in-page', titles.logIn, 'visitor'),
  'sign-up': page('sign-up-page', titles.signUp, 'visitor'),
  forgot: page('forgot-page', titles.forgot, 'visitor'),
  claim: page('link-page', titles.claim, 'anyone'),
  confirm: page('link-page', titles.confirm, 'anyone'),
  reset: page('link-page', titles.reset, 'anyone'),
  email: page('link-page', titles.emailChange, 'anyone'),
};

/** Page shown for an unknown path. */
export const NOT_FOUND = page('not-found-page', titles.notFound, 'anyone');

/** Entry of the navigation. */
export interface Entry {
  page: string;
  icon: NavIconName;
}

/** Navigation in groups, some with a caption. */
export const NAVIGATION: { caption?: string; for?: 'operator'; entries: Entry[] }[] = [
  {
    entries: [
      { page: '', icon: 'overview' },
      { page: 'playground', icon: 'playground' },
      { page: 'credits', icon: 'credits' },
      { page: 'docs', icon: 'docs' },
    ],
  },
  {
    caption: groups.settings,
    entries: [
      { page: 'settings/keys', icon: 'keys' },
      { page: 'settings/account', icon: 'account' },
    ],
  },
  {
    caption: groups.operator,
    for: 'operator',
    entries: [
      { page: 'operator', icon: 'operator' },
      { page: 'operator/log', icon: 'log' },
    ],
  },
];
