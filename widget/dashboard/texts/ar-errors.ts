import type { EN_ERRORS } from './en-errors.ts';
import type { Translated } from './text-tree.ts';

/** Texts of errors, in Arabic. */
export const AR_ERRORS: Translated<typeof EN_ERRORS> = {
  unreachable: 'تعذر الوصول إلى الخدمة. أعد المحاولة بعد لحظات.',
  wentWrong: 'حدث خطأ في الخدمة ({id}). أعد المحاولة.',
  inMinutes:
    'أعد المحاولة الآن.|أعد المحاولة بعد دقيقة.|أعد المحاولة بعد دقيقتين.|أعد المحاولة بعد {count} دقائق.|أعد المحاولة بعد {count} دقيقة.|أعد المحاولة بعد {count} دقيقة.',
  fields: {
    missing: 'يرجى ملء هذا الحقل.',
    email: 'يرجى إدخال بريد إلكتروني صالح.',
    amount: 'يرجى إدخال عدد صحيح أكبر من صفر.',
    short: 'عدد الأحرف الأدنى {least}.',
    invalid: 'يرجى التحقق من هذا الحقل.',
  },
  password: {
    short: 'قصيرة جدًا: عدد الأحرف الأدنى {limit}.',
    long: 'طويلة جدًا: عدد الأحرف الأقصى {limit}.',
    email: 'يرجى اختيار كلمة مرور غير بريدك الإلكتروني.',
    simple: 'يرجى استخدام أكثر من ثلاثة أحرف مختلفة.',
    common: 'كلمة المرور هذه شائعة جدًا. يرجى اختيار غيرها.',
  },
  codes: {
    account_suspended: 'هذا الحساب موقوف. اسأل مشغّل هذه الخدمة.',
    cross_site_request: 'لم يأتِ الطلب من هذه الصفحة. أعد تحميل الصفحة وحاول مرة أخرى.',
    email_taken: 'لهذا البريد الإلكتروني حساب بالفعل.',
    idempotency_in_progress: 'ما زال الطلب نفسه قيد التنفيذ.',
    insufficient_credits:
      'ليس في الحساب أي رصيد.|في الحساب رصيد واحد فقط.|في الحساب رصيدان فقط.|في الحساب {count} أرصدة فقط.|في الحساب {count} رصيدًا فقط.|في الحساب {count} رصيد فقط.',
    invalid_link: 'هذا الرابط غير صالح أو مستخدَم أو انتهت صلاحيته.',
    key_limit_reached: 'لا تسمح خطتك بمزيد من المفاتيح النشطة.',
    not_found: 'لم يعد هذا موجودًا.',
    not_logged_in: 'سُجّل خروجك. سجّل الدخول للمتابعة.',
    operator_required: 'لا يستطيع ذلك إلا مشغّل هذه الخدمة.',
    own_account: 'لا يمكن ذلك مع حسابك أنت.',
    password_required: 'أكّد ذلك بكلمة المرور.',
    sign_up_closed: 'التسجيل مغلق. اطلب حسابًا من مشغّل هذه الخدمة.',
    tls_required: 'يتطلب تسجيل الدخول اتصالًا آمنًا (https).',
    too_many_attempts: 'محاولات كثيرة جدًا.',
    rate_limited: 'طلبات كثيرة جدًا.',
    wrong_credentials: 'البريد الإلكتروني أو كلمة المرور غير صحيحة.',
    wrong_password: 'كلمة المرور غير صحيحة.',
    overloaded: 'الخدمة مشغولة.',
    shutting_down: 'الخدمة قيد إعادة التشغيل.',
    database_unavailable: 'لا تستجيب قاعدة البيانات.',
    storage_unavailable: 'لا يستجيب مخزن الملفات.',
    insufficient_storage: 'قرص الخدمة ممتلئ.',
  },
};
