import { type CSSResult, html, LitElement, nothing, type PropertyDeclarations, type TemplateResult } from 'lit';
import type { Profile } from '#contract';
import { controls, foundation, icon } from '../styles/index.ts';
import { explainError } from './explain-error.ts';
import { FollowLanguage } from './language.ts';
import { pageStyles } from './page.styles.ts';
import { tableStyles } from './table.styles.ts';

/** Events that pages send to the surrounding app; they bubble. */
export interface DashboardEvents {
  /** The user has logged in; the app shows the page they asked for. */
  'dash-logged-in': Profile;
  /** The log-in has ended. */
  'dash-logged-out': null;
  /** The account was suspended. */
  'dash-suspended': null;
  /** The figures in the header are stale. */
  'dash-stale': null;
  /** Message, shown for a while and announced. */
  'dash-say': string;
  /** Navigates to another page. */
  'dash-moved': string;
}

/** Base class of all pages: styles, the account, events to the app, and loading with an error message. */
export abstract class DashboardPage extends LitElement {
  static override styles: CSSResult[] = [foundation, ...controls, pageStyles, tableStyles];
  static override properties: PropertyDeclarations = {
    profile: { attribute: false },
    problem: { state: true },
  };

  /** Signed-in account; null on pages for visitors. */
  declare profile: Profile | null;
  /** Reason why the page could not be loaded; empty without an error. */
  declare problem: string;

  constructor() {
    super();
    new FollowLanguage(this);
    this.profile = null;
    this.problem = '';
  }

  /** Sends an event to the app. */
  protected tell<K extends keyof DashboardEvents>(
    ...[name, detail]: DashboardEvents[K] extends null ? [K] : [K, DashboardEvents[K]]
  ): void {
    this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true }));
  }

  /**
   * Loads a page's content. Shows an error in its place, or the log-in page if the log-in has ended. `isWanted`: false once something
   * else is asked for, of which an error says nothing.
   */
  protected async load(fetchContent: () => Promise<void>, isWanted = () => true): Promise<void> {
    this.problem = '';
    try {
      await fetchContent();
    } catch (error) {
      const { text, loggedOut, suspended } = explainError(error);
      if (loggedOut) this.tell('dash-logged-out');
      else if (suspended) this.tell('dash-suspended');
      else if (isWanted()) this.problem = text;
    }
  }

  /** Renders the error of loading or of an action. */
  protected renderProblem(): TemplateResult {
    return html`<div role="alert">${this.problem ? html`<p class="notice danger">${icon('alert')}<span class="content">${this.problem}</span></p>` : nothing}</div>`;
  }
}
