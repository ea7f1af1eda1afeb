// Entry of the dashboard. What its first sight needs is on its way while the program is loaded.
import { prepareFormats } from '../i18n/index.ts';
import './first-visit.ts';

prepareFormats();
void import('./dash-app.ts');
