import type { Messages } from "./messages.ts";

/** Dutch; addresses visitors informally (je). */
export const nl: Messages = {
  languageName: "Nederlands",
  certificate: "Certificaat van echtheid",
  states: {
    active: { name: "Geldig", explanation: "Dit certificaat is echt en geldig." },
    revoked: {
      name: "Ingetrokken",
      explanation: "De winkel heeft dit certificaat ingetrokken. Het is niet meer geldig.",
    },
    expired: { name: "Verlopen", explanation: "Dit certificaat is echt, maar de geldigheid is verlopen." },
    sample: { name: "Voorbeeld", explanation: "Dit is een voorbeeld. Het certificeert geen product." },
  },
  labels: {
    serial: "Certificaatnummer",
    variant: "Variant",
    edition: "Editie",
    issued: "Uitgegeven op",
    validUntil: "Geldig tot",
    owner: "Eigenaar",
    revoked: "Ingetrokken op",
    reason: "Reden",
  },
  unlimited: "Onbeperkt geldig",
  issuedBy: (store) => `Uitgegeven door ${store}`,
  revocationReasons: {
    Refund: "Terugbetaling",
    "Order cancelled": "Bestelling geannuleerd",
    "Revoked by the store": "Ingetrokken door de winkel",
  },
  scanToVerify: "Scan om te controleren",
  print: "Certificaat afdrukken",
  language: "Taal",
  skipToContent: "Naar de inhoud",
  report: {
    link: "Een probleem melden",
    title: "Een probleem melden",
    introduction: (store) => `Klopt er iets niet? Je melding gaat rechtstreeks naar ${store}.`,
    kindLabel: "Wat is het probleem?",
    kinds: {
      counterfeit: "Ik denk dat het product namaak is",
      mismatch: "Het product komt niet overeen met het certificaat",
      stolen: "Het product is verloren of gestolen",
      wrong_details: "Er staat een fout in het certificaat",
      other: "Iets anders",
    },
    contentLabel: "Omschrijving",
    contentHint: (max) => `Wat viel je op, en waar heb je het product gekocht? Maximaal ${max} tekens.`,
    emailLabel: "E-mailadres (optioneel)",
    emailHint: "Alleen als je een antwoord van de winkel wilt.",
    trapLabel: "Laat dit veld leeg",
    submit: "Melding versturen",
    back: "Terug naar het certificaat",
    mistakes: { one: "Verbeter één veld:", other: "Verbeter deze velden:" },
    kindMissing: "Kies wat het probleem is.",
    contentMissing: "Beschrijf het probleem.",
    contentTooLong: (max) => `Kort de omschrijving in tot ${max} tekens.`,
    emailInvalid: "Vul een geldig e-mailadres in of laat het veld leeg.",
    formExpired: "We konden het formulier niet verwerken. Controleer je gegevens en verstuur het opnieuw.",
    alreadySent:
      "Je hebt met dit formulier al een melding verstuurd. Verstuur het formulier opnieuw om ook deze te versturen.",
    limitReached:
      "Er zijn te veel meldingen verstuurd over dit certificaat of vanaf jouw netwerk. Probeer het later opnieuw.",
    thanksTitle: "Bedankt voor je melding",
    thanks: (store) => `We hebben je melding doorgestuurd naar ${store}.`,
  },
  problems: {
    notFound: {
      title: "Certificaat niet gevonden",
      explanation:
        "Op dit adres bestaat geen certificaat. Controleer of de link volledig is of scan de QR-code opnieuw. Heb je een product met deze link gekocht? Neem dan contact op met de verkoper.",
    },
    unavailable: {
      title: "Tijdelijk niet beschikbaar",
      explanation: "We kunnen het certificaat nu niet controleren. Probeer het over een paar seconden opnieuw.",
    },
    limited: {
      title: "Te veel verzoeken",
      explanation:
        "Vanaf jouw netwerk zijn in korte tijd veel ongeldige links geopend. Wacht even en probeer het opnieuw.",
    },
    invalid: { title: "Ongeldig verzoek", explanation: "Ga terug naar het certificaat en probeer het opnieuw." },
    internal: { title: "Er ging iets mis", explanation: "De fout ligt bij ons. Probeer het later opnieuw." },
  },
};
