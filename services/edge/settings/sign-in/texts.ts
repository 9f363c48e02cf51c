import type { Texts } from "../model/settings-page.ts";

interface SignInTexts {
  readonly title: string;
  readonly explanation: string;
  /** Followed by the domain of the store, like `replaces`. */
  readonly enters: string;
  readonly replaces: string;
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
    enters: "If you continue, you enter the settings of the store below. Continue only if it is yours.",
    replaces:
      "This browser is already signed in. If you continue, your current session is replaced and you enter the settings of the store below. Continue only if it is yours.",
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
    enters:
      "Wenn Sie fortfahren, gelangen Sie zu den Einstellungen des unten genannten Shops. Fahren Sie nur fort, wenn es Ihr Shop ist.",
    replaces:
      "Sie sind in diesem Browser bereits angemeldet. Wenn Sie fortfahren, wird Ihre jetzige Sitzung ersetzt, und Sie gelangen zu den Einstellungen des unten genannten Shops. Fahren Sie nur fort, wenn es Ihr Shop ist.",
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
    enters:
      "Si vous continuez, vous accéderez aux paramètres de la boutique ci-dessous. Ne continuez que s’il s’agit de la vôtre.",
    replaces:
      "Vous êtes déjà connecté dans ce navigateur. Si vous continuez, votre session actuelle sera remplacée et vous accéderez aux paramètres de la boutique ci-dessous. Ne continuez que s’il s’agit de la vôtre.",
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
    enters: "Si continúa, accederá a la configuración de la tienda indicada abajo. Continúe solo si es la suya.",
    replaces:
      "Ya tiene una sesión abierta en este navegador. Si continúa, esa sesión se sustituirá y accederá a la configuración de la tienda indicada abajo. Continúe solo si es la suya.",
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
    enters: "Se continui, accedi alle impostazioni del negozio indicato qui sotto. Continua solo se è il tuo.",
    replaces:
      "Hai già effettuato l’accesso in questo browser. Se continui, la sessione attuale viene sostituita e accedi alle impostazioni del negozio indicato qui sotto. Continua solo se è il tuo.",
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
    enters: "Se continuar, você entrará nas configurações da loja abaixo. Continue somente se ela for sua.",
    replaces:
      "Você já está conectado neste navegador. Se continuar, a sessão atual será substituída e você entrará nas configurações da loja abaixo. Continue somente se ela for sua.",
    submit: "Entrar",
    refusedTitle: "Este link não funciona mais",
    refused: "Ele expirou ou já foi usado. Abra as configurações pela administração da sua loja ou peça um novo link.",
    signedOutTitle: "Você saiu",
    signedOut: "Você pode fechar esta página.",
  },
  nl: {
    title: "Inloggen bij je instellingen",
    explanation: "De link werkt één keer. Je blijft op dit apparaat maar kort ingelogd.",
    enters:
      "Als je doorgaat, kom je bij de instellingen van de winkel hieronder. Ga alleen door als het jouw winkel is.",
    replaces:
      "Je bent in deze browser al ingelogd. Als je doorgaat, wordt je huidige sessie vervangen en kom je bij de instellingen van de winkel hieronder. Ga alleen door als het jouw winkel is.",
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
    enters: "続行すると、下記のストアの設定が開きます。ご自身のストアの場合にのみ続行してください。",
    replaces:
      "このブラウザではすでにログインしています。続行すると、現在のログインに代わって下記のストアの設定が開きます。ご自身のストアの場合にのみ続行してください。",
    submit: "ログイン",
    refusedTitle: "このリンクは無効です",
    refused:
      "有効期限が切れているか、すでに使用されています。ストアの管理画面から設定を開くか、新しいリンクをお受け取りください。",
    signedOutTitle: "ログアウトしました",
    signedOut: "このページを閉じてかまいません。",
  },
};
