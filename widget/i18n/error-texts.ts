/**
 * Texts of the errors that the element names, in all languages: `error.` and the code of the service. Another code has the
 * text of its status. Builds write each column into the file of its language.
 */
export const ERROR_TEXTS = {
  'error.daily_limit_reached': {
    en: 'Your plan’s limit for today is used up. It resets at midnight (UTC).',
    de: 'Das Tageslimit Ihres Tarifs ist erreicht. Es beginnt um Mitternacht (UTC) neu.',
    fr: 'La limite du jour de votre offre est atteinte. Elle est remise à zéro à minuit (UTC).',
    es: 'Ha alcanzado el límite diario de su plan. Se reinicia a medianoche (UTC).',
    ja: 'プランの本日の上限に達しました。UTC の午前 0 時にリセットされます。',
    ar: 'بلغت حد اليوم في خطتك. يتجدد عند منتصف الليل (UTC).',
  },
  'error.file_changed': {
    en: 'The file has changed or is gone. Add it again: its texts are kept.',
    de: 'Die Datei wurde nach dem Hinzufügen geändert oder entfernt. Fügen Sie sie erneut hinzu: Ihre Texte sind noch da.',
    fr: 'Le fichier a été modifié ou supprimé après son ajout. Ajoutez-le de nouveau : ses textes sont conservés.',
    es: 'El archivo se modificó o se eliminó después de añadirlo. Añádalo de nuevo: sus textos se conservan.',
    ja: '追加した後にファイルが変更または削除されました。追加し直すと、保存されたテキストが使われます。',
    ar: 'تغيّر الملف أو حُذف بعد إضافته. أضفه من جديد: نصوصه محفوظة.',
  },
  'error.file_gone': {
    en: 'The file is no longer here. Add it again: its texts are kept.',
    de: 'Die Datei ist nicht mehr da. Fügen Sie sie erneut hinzu: Ihre Texte sind noch da.',
    fr: 'Le fichier n’est plus là. Ajoutez-le de nouveau : ses textes sont conservés.',
    es: 'El archivo ya no está aquí. Añádalo de nuevo: sus textos se conservan.',
    ja: 'ファイルがなくなりました。追加し直すと、保存されたテキストが使われます。',
    ar: 'لم يعد الملف هنا. أضفه من جديد: نصوصه محفوظة.',
  },
  'error.insufficient_credits': {
    en: 'Not enough credits. Nothing was charged, and all texts are kept.',
    de: 'Die Credits reichen nicht. Nichts wurde berechnet, alle Texte bleiben erhalten.',
    fr: 'Pas assez de crédits. Rien n’a été facturé et tous les textes sont conservés.',
    es: 'No hay créditos suficientes. No se ha cobrado nada y se conservan todos los textos.',
    ja: 'クレジットが足りません。費用は発生せず、テキストはすべて残っています。',
    ar: 'الرصيد لا يكفي. لم يحتسب شيء، وكل النصوص محفوظة.',
  },
  'error.invalid_setting': {
    en: 'A setting is not valid; the default is used.',
    de: 'Eine Einstellung ist ungültig; es gilt der Standard.',
    fr: 'Un réglage n’est pas valide ; la valeur par défaut est utilisée.',
    es: 'Un ajuste no es válido; se usa el valor predeterminado.',
    ja: '無効な設定があったため、標準の値を使います。',
    ar: 'أحد الإعدادات غير صالح؛ تستخدم القيمة الافتراضية.',
  },
  'error.media': {
    en: 'The image could not be fetched from the site.',
    de: 'Das Bild ließ sich nicht von der Website holen.',
    fr: 'L’image n’a pas pu être récupérée sur le site.',
    es: 'No se pudo obtener la imagen del sitio.',
    ja: 'サイトから画像を取得できませんでした。',
    ar: 'تعذر جلب الصورة من الموقع.',
  },
  'error.output_too_large': {
    en: 'The image is too large for this format. Choose another one.',
    de: 'Das Bild ist zu groß für dieses Format. Bitte ein anderes wählen.',
    fr: 'L’image est trop grande pour ce format. Choisissez-en un autre.',
    es: 'La imagen es demasiado grande para este formato. Elija otro.',
    ja: '画像がこの形式には大きすぎます。別の形式を選んでください。',
    ar: 'الصورة أكبر مما تتسع له هذه الصيغة. اختر صيغة أخرى.',
  },
  'error.sample_limit': {
    en: 'A sample has 5 images at most.',
    de: 'Eine Probe hat höchstens 5 Bilder.',
    fr: 'Un échantillon compte 5 images au plus.',
    es: 'Una muestra tiene 5 imágenes como máximo.',
    ja: 'サンプルは画像 5 枚までです。',
    ar: 'العينة 5 صور على الأكثر.',
  },
  'error.session_full': {
    en: 'This list is full. Clear it and start a new one.',
    de: 'Diese Liste ist voll. Bitte leeren Sie sie und beginnen Sie eine neue.',
    fr: 'Cette liste est pleine. Videz-la et commencez-en une nouvelle.',
    es: 'Esta lista está llena. Vacíela y empiece otra.',
    ja: 'リストがいっぱいです。空にして新しく始めてください。',
    ar: 'هذه القائمة ممتلئة. أفرغها وابدأ قائمة جديدة.',
  },
  'error.session_limit_reached': {
    en: 'This plan allows no more sessions. Delete one, or wait until one expires.',
    de: 'Dieser Tarif erlaubt nicht mehr Sitzungen zugleich. Bitte eine löschen oder warten, bis eine abläuft.',
    fr: 'Cette offre n’autorise pas plus de sessions à la fois. Supprimez-en une ou attendez qu’une session expire.',
    es: 'Este plan no permite más sesiones a la vez. Elimine una o espere a que caduque alguna.',
    ja: 'このプランで同時に使えるセッション数の上限に達しました。いずれかを削除するか、期限切れをお待ちください。',
    ar: 'بلغت حد الجلسات في خطتك. احذف جلسة أو انتظر انتهاءها.',
  },
  'error.session_not_found': {
    en: 'The service keeps images for {hours} hours. Add yours again.',
    de: 'Der Dienst behält Bilder {hours} Stunden. Bitte fügen Sie Ihre erneut hinzu.',
    fr: 'Le service garde les images {hours} heures. Veuillez ajouter les vôtres de nouveau.',
    es: 'El servicio guarda las imágenes {hours} horas. Añada las suyas de nuevo.',
    ja: '画像の保存は {hours} 時間です。もう一度追加してください。',
    ar: 'تحتفظ الخدمة بالصور {hours} ساعة. أضف صورك من جديد.',
  },
  'error.storage_limit_reached': {
    en: 'The storage of this plan is full. Delete a session, or wait until one expires.',
    de: 'Der Speicher dieses Tarifs ist voll. Bitte eine Sitzung löschen oder warten, bis eine abläuft.',
    fr: 'Le stockage de cette offre est plein. Supprimez une session ou attendez qu’une session expire.',
    es: 'El almacenamiento de este plan está lleno. Elimine una sesión o espere a que caduque alguna.',
    ja: 'このプランの保存容量がいっぱいです。セッションを削除するか、期限切れをお待ちください。',
    ar: 'مساحة خطتك ممتلئة. احذف جلسة أو انتظر انتهاءها.',
  },
  'error.stream_interrupted': {
    en: 'The connection was lost. Work continues; nothing is charged twice.',
    de: 'Die Verbindung ist abgebrochen. Begonnene Arbeit läuft weiter; nichts wird doppelt berechnet.',
    fr: 'La connexion a été coupée. Le travail commencé continue ; rien n’est facturé deux fois.',
    es: 'Se cortó la conexión. El trabajo iniciado continúa; nada se cobra dos veces.',
    ja: '接続が切れました。始まった処理は続いており、二重に課金されることはありません。',
    ar: 'انقطع الاتصال. العمل الذي بدأ مستمر، ولا يحتسب شيء مرتين.',
  },
  'error.token_used_up': {
    en: 'No more samples or descriptions here. Load the page again.',
    de: 'Hier sind keine weiteren Proben oder Beschreibungen möglich. Laden Sie die Seite neu, um fortzufahren.',
    fr: 'Plus aucun essai ni aucune description n’est possible ici. Rechargez la page pour continuer.',
    es: 'Aquí no son posibles más muestras ni descripciones. Vuelva a cargar la página para continuar.',
    ja: 'ここではこれ以上のサンプルや説明を作成できません。続けるにはページを再読み込みしてください。',
    ar: 'لا يمكن إنشاء مزيد من العينات أو الأوصاف هنا. أعد تحميل الصفحة للمتابعة.',
  },
  'error.unsupported': {
    en: 'This is not possible here.',
    de: 'Das ist hier nicht möglich.',
    fr: 'Ce n’est pas possible ici.',
    es: 'Aquí no es posible.',
    ja: 'ここではできません。',
    ar: 'هذا غير ممكن هنا.',
  },
} as const satisfies { [key: string]: { [Language in 'en' | 'de' | 'fr' | 'es' | 'ja' | 'ar']: string } };

type ErrorTexts = typeof ERROR_TEXTS;

/** Returns the texts of errors in one language. */
export function errorTexts(language: keyof ErrorTexts[keyof ErrorTexts]): { [Key in keyof ErrorTexts]: string } {
  const texts = Object.entries(ERROR_TEXTS).map(([key, row]) => [key, row[language]]);
  return Object.fromEntries(texts);
}
