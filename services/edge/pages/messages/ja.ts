import type { Messages } from "./messages.ts";

/** Japanese, in the polite form. */
export const ja: Messages = {
  languageName: "日本語",
  certificate: "真正性証明書",
  states: {
    active: { name: "有効", explanation: "この証明書は正規のもので、現在有効です。" },
    revoked: { name: "失効", explanation: "この証明書は販売店により取り消され、現在は無効です。" },
    expired: { name: "期限切れ", explanation: "この証明書は正規のものですが、有効期限が過ぎています。" },
    sample: { name: "見本", explanation: "これは見本です。商品を証明するものではありません。" },
  },
  labels: {
    serial: "証明書番号",
    variant: "バリエーション",
    edition: "エディション",
    issued: "発行日",
    validUntil: "有効期限",
    owner: "所有者",
    revoked: "取消日",
    reason: "理由",
  },
  unlimited: "無期限",
  issuedBy: (store) => `発行者：${store}`,
  revocationReasons: {
    Refund: "返金",
    "Order cancelled": "注文のキャンセル",
    "Revoked by the store": "販売店による取り消し",
  },
  scanToVerify: "スキャンして確認",
  print: "証明書を印刷",
  language: "言語",
  skipToContent: "本文へ移動",
  report: {
    link: "問題を報告",
    title: "問題を報告",
    introduction: (store) => `お気づきの点がありましたらお知らせください。内容は${store}に直接送信されます。`,
    kindLabel: "どのような問題ですか？",
    kinds: {
      counterfeit: "商品が偽物だと思われる",
      mismatch: "商品が証明書の内容と異なる",
      stolen: "商品を紛失した、または盗まれた",
      wrong_details: "証明書の内容に誤りがある",
      other: "その他",
    },
    contentLabel: "詳細",
    contentHint: (max) => `お気づきの点と、商品の入手先をご記入ください（${max}文字以内）。`,
    emailLabel: "メールアドレス（任意）",
    emailHint: "販売店からの返信をご希望の場合のみご記入ください。",
    trapLabel: "この欄には何も入力しないでください",
    submit: "報告を送信",
    back: "証明書に戻る",
    mistakes: { other: "次の項目をご確認ください。" },
    kindMissing: "問題の種類を選択してください。",
    contentMissing: "問題の詳細を入力してください。",
    contentTooLong: (max) => `詳細は${max}文字以内で入力してください。`,
    emailInvalid: "正しいメールアドレスを入力するか、空欄のままにしてください。",
    formExpired: "フォームを受け付けられませんでした。入力内容を確認し、もう一度送信してください。",
    alreadySent: "このフォームからはすでに報告が送信されています。この内容も送信する場合は、もう一度送信してください。",
    limitReached:
      "この証明書に関する報告、またはお使いのネットワークからの報告が多すぎます。しばらくしてからもう一度お試しください。",
    thanksTitle: "ご報告ありがとうございます",
    thanks: (store) => `内容を${store}に送信しました。`,
  },
  problems: {
    notFound: {
      title: "証明書が見つかりません",
      explanation:
        "このアドレスに証明書は存在しません。リンクが途中で切れていないか確認するか、QRコードをもう一度読み取ってください。このリンクが付いた商品を購入された場合は、販売元にお問い合わせください。",
    },
    unavailable: {
      title: "一時的にご利用いただけません",
      explanation: "現在、証明書を確認できません。数秒後にもう一度お試しください。",
    },
    limited: {
      title: "アクセスが集中しています",
      explanation:
        "お使いのネットワークから短時間に多くの無効なリンクが開かれました。しばらく待ってからもう一度お試しください。",
    },
    invalid: { title: "リクエストを処理できません", explanation: "証明書のページに戻り、もう一度お試しください。" },
    internal: {
      title: "エラーが発生しました",
      explanation: "システムに問題が発生しています。しばらくしてからもう一度お試しください。",
    },
  },
};
