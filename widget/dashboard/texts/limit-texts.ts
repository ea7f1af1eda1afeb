import type { PlanLimitName } from '#contract/constants';
import type { LocaleName } from '../../i18n/index.ts';

/** Texts of a limit of a plan, without placeholders. */
type LimitText = {
  /** Heading of the use on the overview. */
  name: string;
  /** Note on when the use goes down. */
  note: string;
  /** Heading of the column of limits in the table of plans. */
  column: string;
};

/** Texts of the limits of `PLAN_LIMITS`, in all languages. */
const LIMIT_TEXTS: { readonly [Name in PlanLimitName]: { readonly [Locale in LocaleName]: LimitText } } = {
  samplesPerDay: {
    en: {
      name: 'Images in samples today',
      column: 'Samples a day',
      note: 'Starts again at midnight (UTC). Repeated samples do not count.',
    },
    de: {
      name: 'Bilder in Proben heute',
      column: 'Proben pro Tag',
      note: 'Beginnt um Mitternacht (UTC) neu. Wiederholte Proben zählen nicht.',
    },
    fr: {
      name: 'Images en échantillon aujourd’hui',
      column: 'Échantillons par jour',
      note: 'Remis à zéro à minuit (UTC). Les échantillons répétés ne comptent pas.',
    },
    es: {
      name: 'Imágenes en muestras hoy',
      column: 'Muestras al día',
      note: 'Empieza de nuevo a medianoche (UTC). Las muestras repetidas no cuentan.',
    },
    ja: {
      name: '今日のサンプル画像',
      column: '1日のサンプル',
      note: '午前0時（UTC）にリセットされます。同じサンプルの繰り返しは数えません。',
    },
    ar: {
      name: 'صور العينات اليوم',
      column: 'العينات في اليوم',
      note: 'يبدأ العد من جديد عند منتصف الليل (UTC). لا تُحتسب العينات المكررة.',
    },
  },
  analysesPerDay: {
    en: {
      name: 'Images described today',
      column: 'Descriptions a day',
      note: 'Starts again at midnight (UTC). Repeated descriptions do not count.',
    },
    de: {
      name: 'Beschriebene Bilder heute',
      column: 'Beschreibungen pro Tag',
      note: 'Beginnt um Mitternacht (UTC) neu. Wiederholte Beschreibungen zählen nicht.',
    },
    fr: {
      name: 'Images décrites aujourd’hui',
      column: 'Descriptions par jour',
      note: 'Remis à zéro à minuit (UTC). Les descriptions répétées ne comptent pas.',
    },
    es: {
      name: 'Imágenes descritas hoy',
      column: 'Descripciones al día',
      note: 'Empieza de nuevo a medianoche (UTC). Las descripciones repetidas no cuentan.',
    },
    ja: {
      name: '今日の説明文生成',
      column: '1日の説明文',
      note: '午前0時（UTC）にリセットされます。同じ説明の繰り返しは数えません。',
    },
    ar: {
      name: 'الصور الموصوفة اليوم',
      column: 'الأوصاف في اليوم',
      note: 'يبدأ العد من جديد عند منتصف الليل (UTC). لا تُحتسب الأوصاف المكررة.',
    },
  },
  storageMb: {
    en: {
      name: 'Storage',
      column: 'Storage',
      note: 'Uploads, previews, samples and results. They are deleted with their session.',
    },
    de: {
      name: 'Speicher',
      column: 'Speicher',
      note: 'Hochgeladene Bilder, Vorschauen, Proben und Ergebnisse. Sie werden mit ihrer Sitzung gelöscht.',
    },
    fr: {
      name: 'Stockage',
      column: 'Stockage',
      note: 'Images téléversées, aperçus, échantillons et résultats. Ils sont supprimés avec leur session.',
    },
    es: {
      name: 'Almacenamiento',
      column: 'Almacenamiento',
      note: 'Imágenes subidas, vistas previas, muestras y resultados. Se borran con su sesión.',
    },
    ja: {
      name: '容量',
      column: '容量',
      note: 'アップロード、プレビュー、サンプル、結果。セッションと一緒に削除されます。',
    },
    ar: { name: 'التخزين', column: 'التخزين', note: 'الصور المرفوعة والمعاينات والعينات والنتائج. تُحذف مع جلستها.' },
  },
  sessions: {
    en: {
      name: 'Sessions',
      column: 'Sessions',
      note: 'A session ends some time after its last use, or when it is deleted.',
    },
    de: {
      name: 'Sitzungen',
      column: 'Sitzungen',
      note: 'Eine Sitzung endet einige Zeit nach ihrer letzten Nutzung, oder wenn sie gelöscht wird.',
    },
    fr: {
      name: 'Sessions',
      column: 'Sessions',
      note: 'Une session se termine quelque temps après sa dernière utilisation, ou quand elle est supprimée.',
    },
    es: {
      name: 'Sesiones',
      column: 'Sesiones',
      note: 'Una sesión termina algún tiempo después de su último uso, o cuando se borra.',
    },
    ja: {
      name: 'セッション',
      column: 'セッション',
      note: 'セッションは、最後の使用からしばらくすると、または削除すると終了します。',
    },
    ar: { name: 'الجلسات', column: 'الجلسات', note: 'تنتهي الجلسة بعد مدة من آخر استخدام لها، أو عند حذفها.' },
  },
};

/** Returns the texts of the limits in a language. */
export function limitTexts(locale: LocaleName): { readonly [Name in PlanLimitName]: LimitText } {
  const entries = Object.entries(LIMIT_TEXTS).map(([name, texts]) => [name, texts[locale]]);
  return Object.fromEntries(entries) as { [Name in PlanLimitName]: LimitText };
}
