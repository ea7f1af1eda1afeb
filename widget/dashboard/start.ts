// Entry of the dashboard: sends its first request while the program is loaded.
import { prepareFormats } from '../i18n/index.ts';
import './first-visit.ts';

prepareFormats();
void import('./dash-app.ts');
