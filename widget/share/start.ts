// Entry of the page of a link: sends its first requests while the program is loaded.
import { prepareFormats } from '../i18n/index.ts';
import './first-visit.ts';

prepareFormats();
void import('./share-page.ts');
