import type { ReasonTexts } from "./reason-kinds.ts";

export const de: ReasonTexts = {
  empty: "Ein Eintrag ist leer.",
  tooLong: "Der Eintrag ist zu lang.",
  tooShort: "Der Eintrag ist zu kurz.",
  characters: "Der Eintrag enthält ein Leerzeichen oder ein Zeichen, das nicht erlaubt ist.",
  email: "Das ist keine E-Mail-Adresse.",
  noHttps: "Die URL muss mit https:// beginnen.",
  credentials: "Die URL darf weder einen Benutzernamen noch ein Passwort enthalten.",
  fragment: "Die URL darf keinen Abschnitt nach # enthalten.",
  query: "Die URL darf keinen Abschnitt nach ? enthalten.",
  port: "Der Port muss zwischen 1 und 65535 liegen.",
  notPublic: "Diese Adresse ist nicht erlaubt. Verwenden Sie eine andere, die aus dem Internet erreichbar ist.",
  notUrl: "Das ist keine gültige Adresse.",
  revoked: "Das Zertifikat ist widerrufen.",
  expired: "Das Zertifikat ist abgelaufen.",
  alreadyRevoked: "Das Zertifikat ist bereits widerrufen.",
  alreadyActive: "Das Zertifikat ist bereits gültig.",
  keyReplaced: "Der Schlüssel wurde bereits ersetzt. Ersetzen Sie seinen Nachfolger.",
  outOfOrder: "Dieser Schritt passt nicht zum jetzigen Stand des Signaturschlüssels. Laden Sie die Seite neu.",
  changedMeanwhile: "Der Webhook wurde gerade von jemand anderem geändert. Versuchen Sie es noch einmal.",
  noWebhook: "Der Shop hat keinen Webhook.",
  inDelivery: "Die Nachricht wird noch zugestellt. Versuchen Sie es noch einmal, sobald ein Ergebnis angezeigt wird.",
  sentByHand: "Testnachrichten und erneut gesendete Nachrichten lassen sich nicht noch einmal senden.",
  usedForm: "Das Formular wurde schon mit anderen Angaben abgeschickt. Laden Sie die Seite neu.",
  date: "Das Datum muss in der Zukunft liegen.",
  language: "Diese Sprache wird nicht angeboten.",
  soldOut: "Die Auflage des Produkts ist vergriffen.",
  manyImports:
    "Ihr Shop hat in den letzten 24 Stunden zu viele Dateien importiert. Versuchen Sie es morgen noch einmal.",
  importStarted: "Dieser Import wurde bereits gestartet.",
  quantity: "Die Menge ist keine ganze Zahl von 1 bis 10.000.",
  paidAt: "Der Zahlungszeitpunkt fehlt oder hat nicht das Format 2024-05-01 10:11:12 +0200.",
  status: "Der Zahlungsstatus ist leer oder unbekannt.",
  partlyRefunded:
    "Die Bestellung ist teilweise erstattet. Stellen Sie ihre Zertifikate von Hand aus oder widerrufen Sie sie.",
  orderId: "Die Bestell-ID muss aus 1 bis 20 Ziffern bestehen.",
  spreadsheetId: "Eine Tabellenkalkulation hat die Bestell-ID verändert. Exportieren Sie die Bestellungen noch einmal.",
  orderName: "Der Name der Bestellung beginnt nicht mit #.",
  ambiguousOrder: "Die Zeile lässt sich keiner Bestellung eindeutig zuordnen.",
  quotation: "Ein Anführungszeichen steht an der falschen Stelle oder fehlt.",
  cells: "Die Zeile hat eine andere Anzahl von Zellen als die Kopfzeile.",
  refused: "Das Zertifikat konnte nicht ausgestellt werden.",
  noColumn:
    "In der Kopfzeile fehlt eine Spalte. Exportieren Sie die Bestellungen mit allen Spalten, durch Kommas getrennt.",
  columnTwice: "Eine Spalte kommt in der Kopfzeile zweimal vor.",
  notUtf8: "Die Datei ist nicht in UTF-8 gespeichert. Exportieren Sie die Bestellungen noch einmal.",
  noRows: "Die Datei ist leer.",
  longRow: "Die Zeile ist zu lang; vielleicht fehlt ein Anführungszeichen.",
  manyItems:
    "Ein Import umfasst höchstens 200.000 Artikel. Exportieren Sie einen kürzeren Zeitraum oder importieren Sie die Datei mit certctl.",
  rejectsFile:
    "Das ist eine Liste abgelehnter Zeilen. Berichtigen Sie die Zeilen im Export der Bestellungen und importieren Sie ihn noch einmal.",
  fileGone: "Die Datei ist nicht mehr gespeichert. Laden Sie sie noch einmal hoch.",
  testOrder: "Das ist eine Testbestellung der Plattform; sie erhält keine Zertifikate.",
  noBuyer:
    "In der Bestellung fehlt die E-Mail-Adresse des Käufers. Ergänzen Sie sie im Shop oder stellen Sie die Zertifikate von Hand aus.",
  leftover:
    "Zu einigen Zertifikaten passt nach SKU, Titel und Anzahl keine Position der Bestellung. Sie bleiben unverändert.",
  unknownTags:
    "Die Regeln hängen von den Tags eines Produkts ab, die noch nicht bekannt sind. Bearbeiten Sie das Produkt im Shop und speichern Sie es.",
  manyUnits: "Nur die ersten 10.000 Stück einer Position erhalten Zertifikate.",
  unreadable: "Die Nachricht der Plattform hat ein unbekanntes Format.",
  internalError: "Ein interner Fehler ist aufgetreten. Wenn er sich wiederholt, wenden Sie sich an den Support.",
  importFailed:
    "Der Import ist wegen eines internen Fehlers gescheitert. Importieren Sie die Datei noch einmal; scheitert er wieder, wenden Sie sich an den Support.",
};
