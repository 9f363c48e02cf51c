import type { Messages } from "./messages.ts";

/** Italian; addresses visitors informally (tu). */
export const it: Messages = {
  languageName: "Italiano",
  certificate: "Certificato di autenticità",
  states: {
    active: { name: "Valido", explanation: "Questo certificato è autentico e valido." },
    revoked: { name: "Revocato", explanation: "Il negozio ha revocato questo certificato. Non è più valido." },
    expired: { name: "Scaduto", explanation: "Questo certificato è autentico, ma è scaduto." },
    sample: { name: "Facsimile", explanation: "Questo è un facsimile. Non certifica alcun prodotto." },
  },
  labels: {
    serial: "Numero del certificato",
    variant: "Variante",
    edition: "Edizione",
    issued: "Rilasciato il",
    validUntil: "Valido fino al",
    owner: "Proprietario",
    revoked: "Revocato il",
    reason: "Motivo",
  },
  unlimited: "Senza scadenza",
  issuedBy: (store) => `Rilasciato da ${store}`,
  revocationReasons: {
    Refund: "Rimborso",
    "Order cancelled": "Ordine annullato",
    "Revoked by the store": "Revocato dal negozio",
  },
  scanToVerify: "Scansiona per verificare",
  print: "Stampa il certificato",
  language: "Lingua",
  skipToContent: "Vai al contenuto",
  report: {
    link: "Segnala un problema",
    title: "Segnala un problema",
    introduction: (store) => `Qualcosa non torna? La tua segnalazione arriva direttamente a ${store}.`,
    kindLabel: "Qual è il problema?",
    kinds: {
      counterfeit: "Penso che il prodotto sia contraffatto",
      mismatch: "Il prodotto non corrisponde al certificato",
      stolen: "Il prodotto è stato smarrito o rubato",
      wrong_details: "Il certificato contiene un errore",
      other: "Altro",
    },
    contentLabel: "Descrizione",
    contentHint: (max) => `Che cosa hai notato e dove hai acquistato il prodotto? Al massimo ${max} caratteri.`,
    emailLabel: "Indirizzo e-mail (facoltativo)",
    emailHint: "Solo se desideri una risposta dal negozio.",
    trapLabel: "Lascia vuoto questo campo",
    submit: "Invia la segnalazione",
    back: "Torna al certificato",
    mistakes: { one: "Correggi un campo:", other: "Correggi questi campi:" },
    kindMissing: "Indica qual è il problema.",
    contentMissing: "Descrivi il problema.",
    contentTooLong: (max) => `Riduci la descrizione a ${max} caratteri.`,
    emailInvalid: "Inserisci un indirizzo e-mail valido o lascia vuoto il campo.",
    formExpired: "Non è stato possibile accettare il modulo. Controlla i dati e invialo di nuovo.",
    alreadySent:
      "Hai già inviato una segnalazione con questo modulo. Per inviare anche questa, invia di nuovo il modulo.",
    limitReached: "Sono state inviate troppe segnalazioni su questo certificato o dalla tua rete. Riprova più tardi.",
    thanksTitle: "Grazie per la segnalazione",
    thanks: (store) => `L’abbiamo inoltrata a ${store}.`,
  },
  problems: {
    notFound: {
      title: "Certificato non trovato",
      explanation:
        "A questo indirizzo non esiste alcun certificato. Controlla che il link sia completo o scansiona di nuovo il codice QR. Se hai acquistato un prodotto con questo link, rivolgiti al venditore.",
    },
    unavailable: {
      title: "Temporaneamente non disponibile",
      explanation: "Al momento non è possibile verificare il certificato. Riprova tra qualche secondo.",
    },
    limited: {
      title: "Troppe richieste",
      explanation:
        "Dalla tua rete sono stati aperti molti link non validi in poco tempo. Attendi un momento e riprova.",
    },
    invalid: { title: "Richiesta non valida", explanation: "Torna al certificato e riprova." },
    internal: { title: "Qualcosa è andato storto", explanation: "L’errore è nostro. Riprova più tardi." },
  },
};
