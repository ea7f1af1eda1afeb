// Defines the elements of the dashboard's pages. They know the account client, but not the app.
import './account-page.ts';
import './credits-page.ts';
import './docs-page.ts';
import './forgot-page.ts';
import './keys-page.ts';
import './link-page.ts';
import './log-in-page.ts';
import './log-page.ts';
import './manage-page.ts';
import './not-found-page.ts';
import './operator-page.ts';
import './overview-page.ts';
import './playground-page.ts';
import './service-page.ts';
import './sign-up-page.ts';
