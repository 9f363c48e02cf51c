import type { Texts } from "../model/settings-page.ts";

interface SignInTexts {
  readonly title: string;
  readonly explanation: string;
  readonly submit: string;
  readonly refusedTitle: string;
  readonly refused: string;
  readonly signedOutTitle: string;
  readonly signedOut: string;
}

export const texts: Texts<SignInTexts> = {
  en: {
    title: "Sign in to your settings",
    explanation: "The link works once. You stay signed in on this device for a short time only.",
    submit: "Sign in",
    refusedTitle: "This link no longer works",
    refused:
      "It has expired or has already been used. Open the settings from your shop’s admin, or ask for a new link.",
    signedOutTitle: "You are signed out",
    signedOut: "You can close this page.",
  },
  de: {
    title: "Bei den Einstellungen anmelden",
    explanation: "Der Link funktioniert einmal. Sie bleiben auf diesem Gerät nur für kurze Zeit angemeldet.",
    submit: "Anmelden",
    refusedTitle: "Dieser Link funktioniert nicht mehr",
    refused:
      "Er ist abgelaufen oder wurde bereits benutzt. Öffnen Sie die Einstellungen aus der Verwaltung Ihres Shops oder lassen Sie sich einen neuen Link geben.",
    signedOutTitle: "Sie sind abgemeldet",
    signedOut: "Sie können diese Seite schließen.",
  },
  fr: {
    title: "Se connecter aux paramètres",
    explanation: "Ce lien ne fonctionne qu’une fois. Vous ne restez connecté sur cet appareil que peu de temps.",
    submit: "Se connecter",
    refusedTitle: "Ce lien ne fonctionne plus",
    refused:
      "Il a expiré ou a déjà été utilisé. Ouvrez les paramètres depuis l’administration de votre boutique ou demandez un nouveau lien.",
    signedOutTitle: "Vous êtes déconnecté",
    signedOut: "Vous pouvez fermer cette page.",
  },
  es: {
    title: "Acceder a la configuración",
    explanation: "El enlace funciona una sola vez. La sesión en este dispositivo dura poco tiempo.",
    submit: "Acceder",
    refusedTitle: "Este enlace ya no funciona",
    refused:
      "Ha caducado o ya se ha utilizado. Abra la configuración desde la administración de su tienda o solicite un nuevo enlace.",
    signedOutTitle: "Ha cerrado la sesión",
    signedOut: "Puede cerrar esta página.",
  },
  it: {
    title: "Accedi alle impostazioni",
    explanation: "Il link funziona una sola volta. Su questo dispositivo resti connesso solo per poco tempo.",
    submit: "Accedi",
    refusedTitle: "Questo link non funziona più",
    refused:
      "È scaduto o è già stato usato. Apri le impostazioni dall’amministrazione del tuo negozio o chiedi un nuovo link.",
    signedOutTitle: "Hai effettuato l’uscita",
    signedOut: "Puoi chiudere questa pagina.",
  },
  pt: {
    title: "Entrar nas configurações",
    explanation: "O link funciona uma única vez. Neste dispositivo, você fica conectado só por pouco tempo.",
    submit: "Entrar",
    refusedTitle: "Este link não funciona mais",
    refused: "Ele expirou ou já foi usado. Abra as configurações pela administração da sua loja ou peça um novo link.",
    signedOutTitle: "Você saiu",
    signedOut: "Você pode fechar esta página.",
  },
  nl: {
    title: "Inloggen bij je instellingen",
    explanation: "De link werkt één keer. Je blijft op dit apparaat maar kort ingelogd.",
    submit: "Inloggen",
    refusedTitle: "Deze link werkt niet meer",
    refused:
      "De link is verlopen of al gebruikt. Open de instellingen vanuit het beheer van je winkel, of vraag een nieuwe link aan.",
    signedOutTitle: "Je bent uitgelogd",
    signedOut: "Je kunt deze pagina sluiten.",
  },
  ja: {
    title: "設定にログイン",
    explanation: "このリンクは一度だけ使えます。この端末でのログイン状態は短時間で終了します。",
    submit: "ログイン",
    refusedTitle: "このリンクは無効です",
    refused:
      "有効期限が切れているか、すでに使用されています。ストアの管理画面から設定を開くか、新しいリンクをお受け取りください。",
    signedOutTitle: "ログアウトしました",
    signedOut: "このページを閉じてかまいません。",
  },
};
