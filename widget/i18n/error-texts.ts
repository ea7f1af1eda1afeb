// Texts of the errors that the element names, in all languages: `error.` and the code of the service. Another code has the text of its
// status. Builds write each column into the file of its language.

type Row = { readonly [Language in 'en' | 'de' | 'fr' | 'es' | 'ja' | 'ar']: string };

/** Errors of uploads and of requests as such, whose English texts are part of the element. */
export const CORE_ERROR_TEXTS = {
  'error.aborted': {
    en: 'Cancelled.',
    de: 'Abgebrochen.',
    fr: 'Annulé.',
    es: 'Cancelado.',
    ja: 'キャンセルしました。',
    ar: 'ألغيت العملية.',
  },
  'error.bad_response': {
    en: 'The response is not from the image service. Tell the site’s administrator.',
    de: 'Die Antwort der Website stammt nicht vom Bilddienst. Bitte informieren Sie den Administrator der Website.',
    fr: 'La réponse du site ne vient pas du service d’images. Signalez-le à l’administrateur du site.',
    es: 'La respuesta del sitio no viene del servicio de imágenes. Avise al administrador del sitio.',
    ja: 'サイトの応答が画像サービスのものではありません。サイトの管理者に知らせてください。',
    ar: 'استجابة الموقع ليست من خدمة الصور. يرجى إبلاغ مسؤول الموقع.',
  },
  'error.file_too_large': {
    en: 'The file is too large. The limit is {millions} MB.',
    de: 'Die Datei ist zu groß. Erlaubt sind {millions} MB.',
    fr: 'Le fichier est trop volumineux. La limite est de {millions} Mo.',
    es: 'El archivo es demasiado grande. El límite es {millions} MB.',
    ja: 'ファイルが大きすぎます。上限は {millions} MB です。',
    ar: 'الملف كبير جدًا. الحد الأقصى {millions} ميغابايت.',
  },
  'error.invalid_image': {
    en: 'The file cannot be read as an image.',
    de: 'Die Datei lässt sich nicht als Bild lesen.',
    fr: 'Le fichier ne peut pas être lu comme une image.',
    es: 'El archivo no se puede leer como imagen.',
    ja: 'このファイルは画像として読み取れません。',
    ar: 'لا يمكن قراءة الملف كصورة.',
  },
  'error.key_inactive': {
    en: 'The account or its API key is inactive.',
    de: 'Das Konto oder sein API-Schlüssel ist nicht aktiv.',
    fr: 'Le compte ou sa clé API est inactif.',
    es: 'La cuenta o su clave de API está inactiva.',
    ja: 'アカウントまたは API キーが無効です。',
    ar: 'الحساب أو مفتاح الواجهة غير نشط.',
  },
  'error.network': {
    en: 'No connection to the image service.',
    de: 'Keine Verbindung zum Bilddienst.',
    fr: 'Pas de connexion au service d’images.',
    es: 'Sin conexión con el servicio de imágenes.',
    ja: '画像サービスに接続できません。',
    ar: 'لا اتصال بخدمة الصور.',
  },
  'error.not_found': {
    en: 'The image is no longer at the service. Add it again.',
    de: 'Das Bild ist nicht mehr beim Dienst. Bitte fügen Sie es erneut hinzu.',
    fr: 'L’image n’est plus sur le service. Veuillez l’ajouter de nouveau.',
    es: 'La imagen ya no está en el servicio. Añádala de nuevo.',
    ja: '画像はサービスに残っていません。もう一度追加してください。',
    ar: 'لم تعد الصورة لدى الخدمة. أضفها من جديد.',
  },
  'error.server': {
    en: 'The image service reported an error. Try again.',
    de: 'Der Bilddienst hat einen Fehler gemeldet. Bitte versuchen Sie es erneut.',
    fr: 'Le service d’images a signalé une erreur. Veuillez réessayer.',
    es: 'El servicio de imágenes comunicó un error. Inténtelo de nuevo.',
    ja: '画像サービスでエラーが発生しました。もう一度お試しください。',
    ar: 'أبلغت خدمة الصور عن خطأ. يرجى إعادة المحاولة.',
  },
  'error.stalled': {
    en: 'The upload stalled.',
    de: 'Das Hochladen ist stehen geblieben.',
    fr: 'L’envoi s’est arrêté.',
    es: 'La subida se detuvo.',
    ja: 'アップロードが止まりました。',
    ar: 'توقف الرفع.',
  },
  'error.throttled': {
    en: 'Too many requests. Wait a moment.',
    de: 'Zu viele Anfragen. Bitte warten Sie einen Moment.',
    fr: 'Trop de demandes. Veuillez patienter un instant.',
    es: 'Demasiadas solicitudes. Espere un momento.',
    ja: 'リクエストが多すぎます。少しお待ちください。',
    ar: 'طلبات كثيرة جدًا. يرجى الانتظار قليلًا.',
  },
  'error.timeout': {
    en: 'The image service does not respond.',
    de: 'Der Bilddienst antwortet nicht.',
    fr: 'Le service d’images ne répond pas.',
    es: 'El servicio de imágenes no responde.',
    ja: '画像サービスが応答しません。',
    ar: 'خدمة الصور لا تستجيب.',
  },
  'error.too_large': {
    en: 'The file is too large for the server.',
    de: 'Die Datei ist zu groß für den Server.',
    fr: 'Le fichier est trop volumineux pour le serveur.',
    es: 'El archivo es demasiado grande para el servidor.',
    ja: 'ファイルがサーバーの上限を超えています。',
    ar: 'الملف أكبر مما يقبله الخادم.',
  },
  'error.too_many_pixels': {
    en: 'Too many pixels; the limit is {millions} megapixels.',
    de: 'Zu viele Pixel; erlaubt sind {millions} Megapixel.',
    fr: 'Trop de pixels ; la limite est de {millions} mégapixels.',
    es: 'Demasiados píxeles; el límite es {millions} megapíxeles.',
    ja: 'ピクセル数が多すぎます。上限は {millions} メガピクセルです。',
    ar: 'نقاط كثيرة جدًا؛ الحد الأقصى {millions} ميغابكسل.',
  },
  'error.unauthorized': {
    en: 'The site may not use the image service. Sign in again or reload the page.',
    de: 'Die Website darf den Bilddienst nicht nutzen. Bitte neu anmelden oder die Seite neu laden.',
    fr: 'Le site ne peut pas utiliser le service d’images. Reconnectez-vous ou rechargez la page.',
    es: 'El sitio no puede usar el servicio de imágenes. Inicie sesión de nuevo o vuelva a cargar la página.',
    ja: 'このサイトは画像サービスを使えません。ログインし直すか、ページを再読み込みしてください。',
    ar: 'لا يحق للموقع استخدام خدمة الصور. يرجى تسجيل الدخول من جديد أو إعادة تحميل الصفحة.',
  },
  'error.unsupported_image': {
    en: 'Files of this format cannot be optimized.',
    de: 'Dateien dieses Formats lassen sich nicht optimieren.',
    fr: 'Les fichiers de ce format ne peuvent pas être optimisés.',
    es: 'Los archivos de este formato no se pueden optimizar.',
    ja: 'この形式のファイルは最適化できません。',
    ar: 'لا يمكن تحسين ملفات هذه الصيغة.',
  },
} as const satisfies { [key: string]: Row };

/** All other errors. */
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
} as const satisfies { [key: string]: Row };

/** Returns the texts of {@link CORE_ERROR_TEXTS} in one language. */
export const coreErrorTexts = (language: keyof Row) => columnOf(CORE_ERROR_TEXTS, language);

/** Returns the texts of {@link ERROR_TEXTS} in one language. */
export const errorTexts = (language: keyof Row) => columnOf(ERROR_TEXTS, language);

function columnOf<Table extends { [key: string]: Row }>(
  table: Table,
  language: keyof Row,
): { [Key in keyof Table]: string } {
  const texts = Object.entries(table).map(([key, row]) => [key, row[language]]);
  return Object.fromEntries(texts);
}
