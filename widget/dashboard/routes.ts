import { STRINGS } from './language.ts';
import type { NavIconName } from './nav-icon.ts';

/** A page of the dashboard. */
export interface Route {
  /** Tag of the page's element. */
  tag: string;
  title: keyof typeof STRINGS.titles;
  /** Allowed users. `visitor`: not logged in; `account`: logged in; `anyone`: both; `operator`: with that role. */
  for: 'visitor' | 'anyone' | 'account' | 'operator';
}

const page = (tag: string, title: Route['title'], forWhom: Route['for'] = 'account'): Route => ({
  tag,
  title,
  for: forWhom,
});

/** Pages by their path below the base. */
export const ROUTES: Record<string, Route> = {
  '': page('overview-page', 'overview'),
  playground: page('playground-page', 'playground'),
  credits: page('credits-page', 'credits'),
  'settings/keys': page('keys-page', 'keys'),
  'settings/account': page('account-page', 'account'),
  docs: page('docs-page', 'docs'),
  operator: page('operator-page', 'operator', 'operator'),
  'operator/account': page('manage-page', 'manage', 'operator'),
  'operator/service': page('service-page', 'service', 'operator'),
  'operator/log': page('log-page', 'log', 'operator'),
  'log-in': page('log-in-page', 'logIn', 'visitor'),
  'sign-up': page('sign-up-page', 'signUp', 'visitor'),
  forgot: page('forgot-page', 'forgot', 'visitor'),
  claim: page('link-page', 'claim', 'anyone'),
  confirm: page('link-page', 'confirm', 'anyone'),
  reset: page('link-page', 'reset', 'anyone'),
  email: page('link-page', 'emailChange', 'anyone'),
};

/** Returns the title of a page in the current language. */
export const titleOf = ({ title }: Route): string => STRINGS.titles[title];

/** Page shown for an unknown path. */
export const NOT_FOUND = page('not-found-page', 'notFound', 'anyone');

/** Entry of the navigation. */
export interface Entry {
  page: string;
  icon: NavIconName;
}

/** Navigation in groups, some with a caption. */
export const NAVIGATION: { caption?: keyof typeof STRINGS.groups; for?: 'operator'; entries: Entry[] }[] = [
  {
    entries: [
      { page: '', icon: 'overview' },
      { page: 'playground', icon: 'playground' },
      { page: 'credits', icon: 'credits' },
      { page: 'docs', icon: 'docs' },
    ],
  },
  {
    caption: 'settings',
    entries: [
      { page: 'settings/keys', icon: 'keys' },
      { page: 'settings/account', icon: 'account' },
    ],
  },
  {
    caption: 'operator',
    for: 'operator',
    entries: [
      { page: 'operator', icon: 'operator' },
      { page: 'operator/service', icon: 'service' },
      { page: 'operator/log', icon: 'log' },
    ],
  },
];
