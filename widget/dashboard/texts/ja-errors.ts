import type { EN_ERRORS } from './en-errors.ts';
import type { Translated } from './text-tree.ts';

/** Texts of errors, in Japanese. */
export const JA_ERRORS: Translated<typeof EN_ERRORS> = {
  unreachable: 'サービスに接続できません。しばらくしてから再試行してください。',
  wentWrong: 'サービスで問題が発生しました（{id}）。再試行してください。',
  inMinutes: '{count}分後に再試行してください。',
  fields: {
    missing: 'この項目を入力してください。',
    email: '有効なメールアドレスを入力してください。',
    amount: '1以上の整数を入力してください。',
    short: '{least}文字以上で入力してください。',
    invalid: 'この項目を確認してください。',
  },
  password: {
    short: '短すぎます。{limit}文字以上にしてください。',
    long: '長すぎます。{limit}文字以下にしてください。',
    email: 'メールアドレスとは違うパスワードにしてください。',
    simple: '4種類以上の文字を使ってください。',
    common: 'このパスワードはよく使われています。別のものにしてください。',
  },
  codes: {
    account_suspended: 'このアカウントは停止されています。このサービスの運営者にお問い合わせください。',
    cookie_refused:
      'お使いのブラウザーがこのページの Cookie を保存しないため、ログイン状態を保てません。このアドレスの Cookie を許可してから、もう一度お試しください。',
    cross_site_request: 'このページからのリクエストではありません。ページを再読み込みして、もう一度お試しください。',
    email_taken: 'このメールアドレスにはすでにアカウントがあります。',
    idempotency_in_progress: '同じリクエストがまだ実行中です。',
    insufficient_credits: 'このアカウントの残りは{count}クレジットだけです。',
    invalid_link: 'このリンクは無効か、使用済みか、期限切れです。',
    key_limit_reached: 'このプランでは、これ以上キーを有効にできません。',
    not_found: 'これはもう存在しません。',
    not_logged_in: 'ログアウトされました。続けるにはログインしてください。',
    operator_required: 'これはこのサービスの運営者だけが行えます。',
    own_account: 'ご自分のアカウントに対しては行えません。',
    password_required: 'パスワードで確認してください。',
    sign_up_closed: '新規登録は受け付けていません。このサービスの運営者にアカウントを依頼してください。',
    tls_required: 'ログインには安全な接続（https）が必要です。',
    too_many_attempts: '試行回数が多すぎます。',
    rate_limited: 'リクエストが多すぎます。',
    wrong_credentials: 'メールアドレスまたはパスワードが違います。',
    wrong_password: 'パスワードが違います。',
    overloaded: 'サービスが混み合っています。',
    shutting_down: 'サービスを再起動しています。',
    database_unavailable: 'データベースが応答しません。',
    storage_unavailable: 'ファイルの保存先が応答しません。',
    insufficient_storage: 'サービスのディスクがいっぱいです。',
  },
};
