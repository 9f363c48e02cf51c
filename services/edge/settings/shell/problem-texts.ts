import type { Texts } from "../model/settings-page.ts";

/** Why the settings show an error page in place of the requested page. */
export type ProblemKind = "signedOut" | "notFound" | "unavailable" | "limited" | "invalid" | "internal";

type ProblemTexts = Readonly<Record<ProblemKind, { readonly title: string; readonly explanation: string }>>;

/** The texts of the error pages. */
export const problemTexts: Texts<ProblemTexts> = {
  en: {
    signedOut: {
      title: "You are not signed in",
      explanation:
        "Your session may have ended. Open the settings again from your shop’s admin, or ask for a new sign-in link.",
    },
    notFound: { title: "Page not found", explanation: "This page or entry does not exist in your store." },
    unavailable: { title: "Temporarily unavailable", explanation: "Please try again in a few seconds." },
    limited: { title: "Too many requests", explanation: "Please wait a moment and try again." },
    invalid: {
      title: "Form not accepted",
      explanation: "The form has expired or is incomplete. Go back, reload the page and try again.",
    },
    internal: { title: "Something went wrong", explanation: "This is our fault. Please try again later." },
  },
  de: {
    signedOut: {
      title: "Sie sind nicht angemeldet",
      explanation:
        "Vielleicht ist Ihre Sitzung beendet. Öffnen Sie die Einstellungen erneut aus der Verwaltung Ihres Shops oder lassen Sie sich einen neuen Anmeldelink geben.",
    },
    notFound: {
      title: "Seite nicht gefunden",
      explanation: "Diese Seite oder dieser Eintrag existiert in Ihrem Shop nicht.",
    },
    unavailable: {
      title: "Vorübergehend nicht erreichbar",
      explanation: "Bitte versuchen Sie es in ein paar Sekunden noch einmal.",
    },
    limited: {
      title: "Zu viele Anfragen",
      explanation: "Bitte warten Sie einen Moment und versuchen Sie es dann noch einmal.",
    },
    invalid: {
      title: "Formular nicht angenommen",
      explanation:
        "Das Formular ist abgelaufen oder unvollständig. Gehen Sie zurück, laden Sie die Seite neu und versuchen Sie es noch einmal.",
    },
    internal: {
      title: "Etwas ist schiefgegangen",
      explanation: "Der Fehler liegt bei uns. Bitte versuchen Sie es später noch einmal.",
    },
  },
  fr: {
    signedOut: {
      title: "Vous n’êtes pas connecté",
      explanation:
        "Votre session est peut-être terminée. Rouvrez les paramètres depuis l’administration de votre boutique ou demandez un nouveau lien de connexion.",
    },
    notFound: {
      title: "Page introuvable",
      explanation: "Cette page ou cet élément n’existe pas dans votre boutique.",
    },
    unavailable: {
      title: "Momentanément indisponible",
      explanation: "Veuillez réessayer dans quelques secondes.",
    },
    limited: { title: "Trop de requêtes", explanation: "Veuillez patienter un instant, puis réessayer." },
    invalid: {
      title: "Formulaire refusé",
      explanation: "Le formulaire a expiré ou est incomplet. Revenez en arrière, rechargez la page et réessayez.",
    },
    internal: {
      title: "Une erreur s’est produite",
      explanation: "L’erreur vient de notre côté. Veuillez réessayer plus tard.",
    },
  },
  es: {
    signedOut: {
      title: "No ha iniciado sesión",
      explanation:
        "Es posible que su sesión haya terminado. Abra de nuevo la configuración desde la administración de su tienda o solicite un nuevo enlace de acceso.",
    },
    notFound: {
      title: "Página no encontrada",
      explanation: "Esta página o este elemento no existe en su tienda.",
    },
    unavailable: {
      title: "No disponible temporalmente",
      explanation: "Inténtelo de nuevo en unos segundos.",
    },
    limited: { title: "Demasiadas solicitudes", explanation: "Espere un momento e inténtelo de nuevo." },
    invalid: {
      title: "Formulario no aceptado",
      explanation:
        "El formulario ha caducado o está incompleto. Vuelva atrás, recargue la página e inténtelo de nuevo.",
    },
    internal: { title: "Algo ha salido mal", explanation: "El error es nuestro. Inténtelo de nuevo más tarde." },
  },
  it: {
    signedOut: {
      title: "Non hai effettuato l’accesso",
      explanation:
        "Forse la sessione è terminata. Riapri le impostazioni dall’amministrazione del tuo negozio o chiedi un nuovo link di accesso.",
    },
    notFound: {
      title: "Pagina non trovata",
      explanation: "Questa pagina o questo elemento non esiste nel tuo negozio.",
    },
    unavailable: { title: "Temporaneamente non disponibile", explanation: "Riprova tra qualche secondo." },
    limited: { title: "Troppe richieste", explanation: "Attendi un momento e riprova." },
    invalid: {
      title: "Modulo non accettato",
      explanation: "Il modulo è scaduto o incompleto. Torna indietro, ricarica la pagina e riprova.",
    },
    internal: { title: "Qualcosa è andato storto", explanation: "L’errore è nostro. Riprova più tardi." },
  },
  pt: {
    signedOut: {
      title: "Você não está conectado",
      explanation:
        "Talvez sua sessão tenha terminado. Abra as configurações novamente pela administração da sua loja ou peça um novo link de acesso.",
    },
    notFound: {
      title: "Página não encontrada",
      explanation: "Esta página ou este item não existe na sua loja.",
    },
    unavailable: {
      title: "Temporariamente indisponível",
      explanation: "Tente novamente em alguns segundos.",
    },
    limited: { title: "Solicitações demais", explanation: "Aguarde um momento e tente novamente." },
    invalid: {
      title: "Formulário não aceito",
      explanation: "O formulário expirou ou está incompleto. Volte, recarregue a página e tente novamente.",
    },
    internal: { title: "Algo deu errado", explanation: "O erro é nosso. Tente novamente mais tarde." },
  },
  nl: {
    signedOut: {
      title: "Je bent niet ingelogd",
      explanation:
        "Misschien is je sessie beëindigd. Open de instellingen opnieuw vanuit het beheer van je winkel, of vraag een nieuwe inloglink aan.",
    },
    notFound: {
      title: "Pagina niet gevonden",
      explanation: "Deze pagina of dit item bestaat niet in je winkel.",
    },
    unavailable: {
      title: "Tijdelijk niet beschikbaar",
      explanation: "Probeer het over een paar seconden opnieuw.",
    },
    limited: { title: "Te veel verzoeken", explanation: "Wacht even en probeer het opnieuw." },
    invalid: {
      title: "Formulier niet geaccepteerd",
      explanation: "Het formulier is verlopen of onvolledig. Ga terug, laad de pagina opnieuw en probeer het nog eens.",
    },
    internal: { title: "Er ging iets mis", explanation: "De fout ligt bij ons. Probeer het later opnieuw." },
  },
  ja: {
    signedOut: {
      title: "ログインしていません",
      explanation:
        "セッションが終了した可能性があります。ストアの管理画面から設定を開き直すか、新しいログイン用リンクをお受け取りください。",
    },
    notFound: {
      title: "ページが見つかりません",
      explanation: "このページまたは項目は、お客様のストアに存在しません。",
    },
    unavailable: {
      title: "一時的にご利用いただけません",
      explanation: "数秒後にもう一度お試しください。",
    },
    limited: {
      title: "リクエストが多すぎます",
      explanation: "しばらく待ってからもう一度お試しください。",
    },
    invalid: {
      title: "フォームを受け付けられません",
      explanation:
        "フォームの有効期限が切れているか、内容が不完全です。前のページに戻り、再読み込みしてからもう一度お試しください。",
    },
    internal: {
      title: "エラーが発生しました",
      explanation: "システムに問題が発生しています。しばらくしてからもう一度お試しください。",
    },
  },
};
