import type { Texts } from "../model/settings-page.ts";

/** The names of events and outcomes, and labels that several pages use. */
interface Words {
  readonly events: Readonly<
    Record<"issued" | "verified" | "transferred" | "reported" | "revoked" | "reactivated", string>
  >;
  readonly testMessage: string;
  readonly outcomes: Readonly<
    Record<
      | "delivered"
      | "refused"
      | "timeout"
      | "connection_failed"
      | "interrupted"
      | "skipped"
      | "blocked"
      | "tls_failed"
      | "redirected"
      | "protocol_error"
      | "pending"
      | "unknown",
      string
    >
  >;
  readonly copy: string;
  readonly copied: string;
  /** Shown when the browser does not allow the page to copy. */
  readonly copyByHand: string;
  readonly shownOnce: string;
  readonly next: string;
  readonly firstPage: string;
  readonly required: string;
  /** For a date that the browser sends as an empty value, because it is incomplete or does not exist. */
  readonly dateInvalid: string;
}

export const words: Texts<Words> = {
  en: {
    events: {
      issued: "Issued",
      verified: "First opened",
      transferred: "Transferred",
      reported: "Problem reported",
      revoked: "Revoked",
      reactivated: "Reactivated",
    },
    testMessage: "Test message",
    outcomes: {
      delivered: "Accepted",
      refused: "Refused",
      timeout: "No reply in time",
      connection_failed: "No connection",
      interrupted: "Interrupted",
      skipped: "Not sent",
      blocked: "Address not allowed",
      tls_failed: "TLS failed",
      redirected: "Redirected",
      protocol_error: "Invalid reply",
      pending: "In progress",
      unknown: "Unknown",
    },
    copy: "Copy",
    copied: "Copied",
    copyByHand: "The browser does not allow copying. Copy the selected text yourself.",
    shownOnce: "Copy it now: it will not be shown again.",
    next: "Next page",
    firstPage: "First page",
    required: "Fill in this field.",
    dateInvalid: "This date is incomplete or does not exist. Correct it or clear the field.",
  },
  de: {
    events: {
      issued: "Ausgestellt",
      verified: "Erstmals geöffnet",
      transferred: "Übertragen",
      reported: "Problem gemeldet",
      revoked: "Widerrufen",
      reactivated: "Reaktiviert",
    },
    testMessage: "Testnachricht",
    outcomes: {
      delivered: "Angenommen",
      refused: "Abgelehnt",
      timeout: "Keine Antwort",
      connection_failed: "Keine Verbindung",
      interrupted: "Unterbrochen",
      skipped: "Nicht gesendet",
      blocked: "Adresse nicht erlaubt",
      tls_failed: "TLS-Fehler",
      redirected: "Weitergeleitet",
      protocol_error: "Ungültige Antwort",
      pending: "Wird gesendet",
      unknown: "Unbekannt",
    },
    copy: "Kopieren",
    copied: "Kopiert",
    copyByHand: "Der Browser erlaubt das Kopieren nicht. Kopieren Sie den markierten Text selbst.",
    shownOnce: "Kopieren Sie es jetzt: Es wird nicht noch einmal angezeigt.",
    next: "Nächste Seite",
    firstPage: "Erste Seite",
    required: "Füllen Sie dieses Feld aus.",
    dateInvalid: "Dieses Datum ist unvollständig oder existiert nicht. Berichtigen Sie es oder leeren Sie das Feld.",
  },
  fr: {
    events: {
      issued: "Émis",
      verified: "Ouvert pour la première fois",
      transferred: "Transféré",
      reported: "Problème signalé",
      revoked: "Révoqué",
      reactivated: "Réactivé",
    },
    testMessage: "Message de test",
    outcomes: {
      delivered: "Accepté",
      refused: "Refusé",
      timeout: "Pas de réponse à temps",
      connection_failed: "Pas de connexion",
      interrupted: "Interrompu",
      skipped: "Non envoyé",
      blocked: "Adresse non autorisée",
      tls_failed: "Échec TLS",
      redirected: "Redirigé",
      protocol_error: "Réponse non valide",
      pending: "En cours",
      unknown: "Inconnu",
    },
    copy: "Copier",
    copied: "Copié",
    copyByHand: "Le navigateur n’autorise pas la copie. Copiez vous-même le texte sélectionné.",
    shownOnce: "Copiez-le maintenant : il ne sera plus affiché.",
    next: "Page suivante",
    firstPage: "Première page",
    required: "Remplissez ce champ.",
    dateInvalid: "Cette date est incomplète ou n’existe pas. Corrigez-la ou videz le champ.",
  },
  es: {
    events: {
      issued: "Emitido",
      verified: "Abierto por primera vez",
      transferred: "Transferido",
      reported: "Problema notificado",
      revoked: "Revocado",
      reactivated: "Reactivado",
    },
    testMessage: "Mensaje de prueba",
    outcomes: {
      delivered: "Aceptado",
      refused: "Rechazado",
      timeout: "Sin respuesta a tiempo",
      connection_failed: "Sin conexión",
      interrupted: "Interrumpido",
      skipped: "No enviado",
      blocked: "Dirección no permitida",
      tls_failed: "Error de TLS",
      redirected: "Redirigido",
      protocol_error: "Respuesta no válida",
      pending: "En curso",
      unknown: "Desconocido",
    },
    copy: "Copiar",
    copied: "Copiado",
    copyByHand: "El navegador no permite copiar. Copie usted el texto seleccionado.",
    shownOnce: "Cópielo ahora: no se volverá a mostrar.",
    next: "Página siguiente",
    firstPage: "Primera página",
    required: "Rellene este campo.",
    dateInvalid: "Esta fecha está incompleta o no existe. Corríjala o deje el campo vacío.",
  },
  it: {
    events: {
      issued: "Emesso",
      verified: "Aperto per la prima volta",
      transferred: "Trasferito",
      reported: "Problema segnalato",
      revoked: "Revocato",
      reactivated: "Riattivato",
    },
    testMessage: "Messaggio di prova",
    outcomes: {
      delivered: "Accettato",
      refused: "Rifiutato",
      timeout: "Nessuna risposta in tempo",
      connection_failed: "Nessuna connessione",
      interrupted: "Interrotto",
      skipped: "Non inviato",
      blocked: "Indirizzo non consentito",
      tls_failed: "Errore TLS",
      redirected: "Reindirizzato",
      protocol_error: "Risposta non valida",
      pending: "In corso",
      unknown: "Sconosciuto",
    },
    copy: "Copia",
    copied: "Copiato",
    copyByHand: "Il browser non consente di copiare. Copia tu il testo selezionato.",
    shownOnce: "Copialo ora: non verrà più mostrato.",
    next: "Pagina successiva",
    firstPage: "Prima pagina",
    required: "Compila questo campo.",
    dateInvalid: "Questa data è incompleta o non esiste. Correggila o lascia vuoto il campo.",
  },
  pt: {
    events: {
      issued: "Emitido",
      verified: "Aberto pela primeira vez",
      transferred: "Transferido",
      reported: "Problema relatado",
      revoked: "Revogado",
      reactivated: "Reativado",
    },
    testMessage: "Mensagem de teste",
    outcomes: {
      delivered: "Aceita",
      refused: "Recusada",
      timeout: "Sem resposta a tempo",
      connection_failed: "Sem conexão",
      interrupted: "Interrompida",
      skipped: "Não enviada",
      blocked: "Endereço não permitido",
      tls_failed: "Falha de TLS",
      redirected: "Redirecionada",
      protocol_error: "Resposta inválida",
      pending: "Em andamento",
      unknown: "Desconhecido",
    },
    copy: "Copiar",
    copied: "Copiado",
    copyByHand: "O navegador não permite copiar. Copie você mesmo o texto selecionado.",
    shownOnce: "Copie agora: não será mostrado novamente.",
    next: "Próxima página",
    firstPage: "Primeira página",
    required: "Preencha este campo.",
    dateInvalid: "Esta data está incompleta ou não existe. Corrija-a ou deixe o campo vazio.",
  },
  nl: {
    events: {
      issued: "Uitgegeven",
      verified: "Voor het eerst geopend",
      transferred: "Overgedragen",
      reported: "Probleem gemeld",
      revoked: "Ingetrokken",
      reactivated: "Opnieuw geactiveerd",
    },
    testMessage: "Testbericht",
    outcomes: {
      delivered: "Geaccepteerd",
      refused: "Geweigerd",
      timeout: "Geen antwoord op tijd",
      connection_failed: "Geen verbinding",
      interrupted: "Onderbroken",
      skipped: "Niet verzonden",
      blocked: "Adres niet toegestaan",
      tls_failed: "TLS mislukt",
      redirected: "Doorgestuurd",
      protocol_error: "Ongeldig antwoord",
      pending: "Bezig",
      unknown: "Onbekend",
    },
    copy: "Kopiëren",
    copied: "Gekopieerd",
    copyByHand: "De browser staat kopiëren niet toe. Kopieer de geselecteerde tekst zelf.",
    shownOnce: "Kopieer het nu: het wordt niet opnieuw getoond.",
    next: "Volgende pagina",
    firstPage: "Eerste pagina",
    required: "Vul dit veld in.",
    dateInvalid: "Deze datum is onvolledig of bestaat niet. Verbeter hem of maak het veld leeg.",
  },
  ja: {
    events: {
      issued: "発行",
      verified: "初回表示",
      transferred: "譲渡",
      reported: "問題の報告",
      revoked: "失効",
      reactivated: "再有効化",
    },
    testMessage: "テストメッセージ",
    outcomes: {
      delivered: "受信済み",
      refused: "拒否",
      timeout: "時間内に応答なし",
      connection_failed: "接続できません",
      interrupted: "中断",
      skipped: "未送信",
      blocked: "許可されないアドレス",
      tls_failed: "TLSエラー",
      redirected: "リダイレクト",
      protocol_error: "無効な応答",
      pending: "送信中",
      unknown: "不明",
    },
    copy: "コピー",
    copied: "コピーしました",
    copyByHand: "ブラウザーがコピーを許可していません。選択中の文字列を手動でコピーしてください。",
    shownOnce: "今すぐコピーしてください。再表示はできません。",
    next: "次のページ",
    firstPage: "最初のページ",
    required: "この項目を入力してください。",
    dateInvalid: "日付が不完全か、存在しない日付です。修正するか、空欄にしてください。",
  },
};
