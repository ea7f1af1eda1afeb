import { expect, it } from 'vitest';
import { type Finding, toCsv } from '../../plugin-bridge/wordpress/src/text-audit.ts';

it('findings are exported for spreadsheets: quotes are doubled, and no text becomes a formula', () => {
  const finding: Finding = {
    ...{ problem: 'file_name', attachment: 7, post: 0, language: 'pt-BR', title: 'A "view", wide', file: 'view.jpg' },
    ...{ text: '=HYPERLINK("https://evil.test")', edit: '' },
  };
  expect(toCsv([finding]).split('\r\n')).toEqual([
    '\uFEFFproblem,attachment,post,language,title,file,text,edit',
    `file_name,7,0,pt-BR,"A ""view"", wide",view.jpg,"'=HYPERLINK(""https://evil.test"")",`,
    '',
  ]);
});

it.each(['＝1+1', '＋1', '－1', '＠SUM(1)', '+1', '-1', '@SUM(1)', '\t=1', '\r=1', '\n=1'])(
  '%j is no formula',
  (text) => {
    const finding: Finding = {
      problem: 'missing',
      attachment: 7,
      post: 0,
      language: 'en',
      title: text,
      file: 'a.jpg',
      text: '',
      edit: '',
    };
    expect(toCsv([finding])).toContain(`'${text}`);
  },
);
