import type { Messages } from '../messages.ts';

/** Japanese texts about failures, rejections and notices. */
export const japaneseErrors: Messages = {
  'notice.analysis_fallback': '説明サービスが {count} 枚の画像に応答しませんでした。',
  'notice.analysis_loading': '画像モデルを読み込み中です。{count} 枚の画像にはまだ説明がありません。',
  'notice.analyze_failed': '画像 {count} 枚の説明を作成できませんでした。',
  'notice.check-cost': 'もう一度確認',
  'notice.details': '詳細',
  'notice.dismiss': '閉じる',
  'notice.download_failed': 'ファイル {count} 件をダウンロードできませんでした。',
  'notice.elsewhere':
    'この書き出しは、別のウィンドウまたは以前の操作ですでに始まっています。二重に課金されることはありません。',
  'notice.expired':
    '画像の保存は最後の使用から {hours}時間です。画像はなくなりましたが、テキストは残っています。画像をもう一度追加してください。',
  'notice.export_failed': '画像 {count} 枚を書き出せませんでした。費用は発生していません。',
  'notice.more': 'ほか {count} 件',
  'notice.no_model': '画像モデルがないため、説明は作成されませんでした。ご自身で入力してください。',
  'notice.offline': 'オフラインです。接続が戻りしだい再開します。',
  'notice.renew': 'もう一度アップロード',
  'notice.request': 'リクエスト {id}',
  'notice.sample_failed': 'サンプルの画像 {count} 枚が失敗しました。',
  'notice.save_failed': '画像 {count} 枚のテキストを保存できませんでした。',
  'notice.upload_failed': '画像 {count} 枚をアップロードできませんでした。',
  'reject.count': 'ファイル {total} 件のうち {count} 件は追加されませんでした',
  'reject.duplicate': '{name} はすでにリストにあります。',
  'reject.empty': '{name} は空です。',
  'reject.heic':
    '{name} は HEIC 形式の写真で、最適化できません。JPEG で保存するか、スマートフォンのカメラ設定で「互換性優先」を選んでください。',
  'reject.limit': '{name}：リストに入るのは {max} 枚までです。',
  'reject.pixels': '{name}：{megapixels} メガピクセル。上限は {max} です。',
  'reject.size': '{name} は {size} です。上限は {max} です。',
  'reject.total': '{name}：すべての画像を合わせると {max} を超えます。',
  'reject.truncated': '{name} は途中で切れています。もう一度コピーしてください。',
  'reject.type': '{name}：{format} ファイルは最適化できません。',
  'reject.unknown': '{name} は最適化できる画像ではありません。',
  'reject.unreadable': '{name} を読み取れません。',
  'warning.alpha_flattened': '透明な部分が白になりました。',
  'warning.animation_dropped': 'アニメーションは最初のコマだけが残りました。',
  'warning.cmyk_converted': '印刷用の色を画面用に変換しました。',
  'warning.no_gain': '小さくなるファイルがないため、料金はかかりませんでした。',
  'warning.pages_dropped': '最初のページだけが残りました。',
};
