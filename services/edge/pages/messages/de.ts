import type { Messages } from "./messages.ts";

/** German; addresses visitors formally (Sie). */
export const de: Messages = {
  languageName: "Deutsch",
  certificate: "Echtheitszertifikat",
  states: {
    active: { name: "Gültig", explanation: "Dieses Zertifikat ist echt und gültig." },
    revoked: {
      name: "Widerrufen",
      explanation: "Der Shop hat dieses Zertifikat widerrufen. Es ist nicht mehr gültig.",
    },
    expired: { name: "Abgelaufen", explanation: "Dieses Zertifikat ist echt, aber seine Gültigkeit ist abgelaufen." },
    sample: { name: "Muster", explanation: "Dies ist ein Muster. Es bescheinigt kein Produkt." },
  },
  labels: {
    serial: "Zertifikatsnummer",
    variant: "Variante",
    edition: "Edition",
    issued: "Ausgestellt am",
    validUntil: "Gültig bis",
    owner: "Besitzer",
    revoked: "Widerrufen am",
    reason: "Grund",
  },
  unlimited: "Unbegrenzt gültig",
  issuedBy: (store) => `Ausgestellt von ${store}`,
  revocationReasons: {
    Refund: "Erstattung",
    "Order cancelled": "Bestellung storniert",
    "Revoked by the store": "Vom Shop widerrufen",
  },
  scanToVerify: "Zum Prüfen scannen",
  print: "Zertifikat drucken",
  language: "Sprache",
  skipToContent: "Zum Inhalt springen",
  report: {
    link: "Problem melden",
    title: "Problem melden",
    introduction: (store) => `Stimmt etwas nicht? Ihre Meldung geht direkt an ${store}.`,
    kindLabel: "Worum geht es?",
    kinds: {
      counterfeit: "Ich halte das Produkt für eine Fälschung",
      mismatch: "Das Produkt passt nicht zum Zertifikat",
      stolen: "Das Produkt ging verloren oder wurde gestohlen",
      wrong_details: "Das Zertifikat enthält einen Fehler",
      other: "Etwas anderes",
    },
    contentLabel: "Beschreibung",
    contentHint: (max) => `Was ist Ihnen aufgefallen, und woher haben Sie das Produkt? Höchstens ${max} Zeichen.`,
    emailLabel: "E-Mail-Adresse (freiwillig)",
    emailHint: "Nur wenn Sie eine Antwort des Shops wünschen.",
    trapLabel: "Dieses Feld bitte leer lassen",
    submit: "Meldung senden",
    back: "Zurück zum Zertifikat",
    mistakes: { one: "Bitte korrigieren Sie eine Angabe:", other: "Bitte korrigieren Sie diese Angaben:" },
    kindMissing: "Wählen Sie aus, worum es geht.",
    contentMissing: "Beschreiben Sie das Problem.",
    contentTooLong: (max) => `Kürzen Sie die Beschreibung auf ${max} Zeichen.`,
    emailInvalid: "Geben Sie eine gültige E-Mail-Adresse ein, oder lassen Sie das Feld leer.",
    formExpired: "Das Formular konnte nicht angenommen werden. Bitte prüfen Sie Ihre Angaben und senden Sie es erneut.",
    alreadySent:
      "Sie haben mit diesem Formular bereits eine Meldung gesendet. Um auch diese zu senden, senden Sie das Formular erneut.",
    limitReached:
      "Zu diesem Zertifikat oder aus Ihrem Netz wurden zu viele Meldungen gesendet. Bitte versuchen Sie es später noch einmal.",
    thanksTitle: "Vielen Dank für Ihre Meldung",
    thanks: (store) => `Wir haben sie an ${store} weitergeleitet.`,
  },
  problems: {
    notFound: {
      title: "Zertifikat nicht gefunden",
      explanation:
        "Unter dieser Adresse gibt es kein Zertifikat. Prüfen Sie, ob der Link vollständig ist, oder scannen Sie den QR-Code noch einmal. Wenn Sie ein Produkt mit diesem Link gekauft haben, fragen Sie beim Verkäufer nach.",
    },
    unavailable: {
      title: "Vorübergehend nicht erreichbar",
      explanation:
        "Das Zertifikat kann gerade nicht geprüft werden. Bitte versuchen Sie es in einigen Sekunden erneut.",
    },
    limited: {
      title: "Zu viele Anfragen",
      explanation:
        "Aus Ihrem Netz wurden in kurzer Zeit sehr viele ungültige Links aufgerufen. Bitte warten Sie einen Moment und versuchen Sie es dann erneut.",
    },
    invalid: {
      title: "Ungültige Anfrage",
      explanation: "Bitte kehren Sie zum Zertifikat zurück und versuchen Sie es noch einmal.",
    },
    internal: {
      title: "Etwas ist schiefgegangen",
      explanation: "Der Fehler liegt bei uns. Bitte versuchen Sie es später noch einmal.",
    },
  },
};
