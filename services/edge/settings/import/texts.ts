import type { Texts } from "../model/settings-page.ts";

interface ImportTexts {
  readonly incomplete: string;
  readonly keepsRunning: string;
  readonly refresh: string;
  readonly rows: string;
  readonly toIssue: string;
  readonly issued: string;
  readonly alreadyIssued: string;
  readonly soldOut: string;
  readonly notPaid: string;
  readonly refunded: string;
  readonly cancelled: string;
  readonly rejected: string;
  readonly rejectedLead: string;
  readonly download: string;
  readonly nothingToIssue: string;
  readonly startLead: string;
  readonly fileGone: string;
  readonly line: (line: number) => string;
  /** @param line number of the line that stopped the import; 0 if the problem concerns the whole file */
  readonly unreadable: (line: number) => string;
  /** @param count the formatted number of certificates */
  readonly start: (count: string) => string;
}

/** The texts of the page that shows an import. */
export const texts: Texts<ImportTexts> = {
  en: {
    incomplete: "The file was not received in full. Upload it again.",
    keepsRunning: "You can leave this page: the work continues.",
    refresh: "Refresh",
    rows: "Rows read",
    toIssue: "Certificates to issue",
    issued: "Certificates issued",
    alreadyIssued: "Issued before",
    soldOut: "Sold out",
    notPaid: "Rows not paid",
    refunded: "Rows refunded",
    cancelled: "Rows cancelled",
    rejected: "Rejected lines",
    rejectedLead: "No certificate is issued for these lines. Correct them in the order export and import it again.",
    download: "Download the list",
    nothingToIssue: "There is nothing to issue.",
    startLead: "The certificates are issued at once, and your webhook receives a message for each.",
    fileGone: "The file is no longer stored. Upload it again.",
    line: (line) => `Line ${line}`,
    unreadable: (line) => (line === 0 ? "The file cannot be read:" : `The file cannot be read from line ${line} on:`),
    start: (count) => `Issue now: ${count}`,
  },
  de: {
    incomplete: "Die Datei ist nicht vollständig angekommen. Laden Sie sie noch einmal hoch.",
    keepsRunning: "Sie können diese Seite verlassen: Die Arbeit läuft weiter.",
    refresh: "Aktualisieren",
    rows: "Gelesene Zeilen",
    toIssue: "Auszustellende Zertifikate",
    issued: "Ausgestellte Zertifikate",
    alreadyIssued: "Bereits ausgestellt",
    soldOut: "Vergriffen",
    notPaid: "Zeilen ohne Zahlung",
    refunded: "Erstattete Zeilen",
    cancelled: "Stornierte Zeilen",
    rejected: "Abgelehnte Zeilen",
    rejectedLead:
      "Für diese Zeilen wird kein Zertifikat ausgestellt. Berichtigen Sie sie im Export der Bestellungen und importieren Sie ihn noch einmal.",
    download: "Liste herunterladen",
    nothingToIssue: "Es ist nichts auszustellen.",
    startLead: "Die Zertifikate werden sofort ausgestellt, und Ihr Webhook erhält für jedes eine Nachricht.",
    fileGone: "Die Datei ist nicht mehr gespeichert. Laden Sie sie noch einmal hoch.",
    line: (line) => `Zeile ${line}`,
    unreadable: (line) => (line === 0 ? "Die Datei ist nicht lesbar:" : `Die Datei ist ab Zeile ${line} nicht lesbar:`),
    start: (count) => `Jetzt ausstellen: ${count}`,
  },
  fr: {
    incomplete: "Le fichier n’est pas arrivé en entier. Téléversez-le de nouveau.",
    keepsRunning: "Vous pouvez quitter cette page : le travail continue.",
    refresh: "Actualiser",
    rows: "Lignes lues",
    toIssue: "Certificats à émettre",
    issued: "Certificats émis",
    alreadyIssued: "Déjà émis",
    soldOut: "Épuisés",
    notPaid: "Lignes non payées",
    refunded: "Lignes remboursées",
    cancelled: "Lignes annulées",
    rejected: "Lignes refusées",
    rejectedLead:
      "Aucun certificat n’est émis pour ces lignes. Corrigez-les dans l’export des commandes, puis importez-le de nouveau.",
    download: "Télécharger la liste",
    nothingToIssue: "Il n’y a rien à émettre.",
    startLead: "Les certificats sont émis aussitôt et votre webhook reçoit un message pour chacun.",
    fileGone: "Le fichier n’est plus conservé. Téléversez-le de nouveau.",
    line: (line) => `Ligne ${line}`,
    unreadable: (line) =>
      line === 0 ? "Le fichier est illisible :" : `Le fichier est illisible à partir de la ligne ${line} :`,
    start: (count) => `Émettre maintenant : ${count}`,
  },
  es: {
    incomplete: "El archivo no ha llegado completo. Súbalo de nuevo.",
    keepsRunning: "Puede salir de esta página: el trabajo continúa.",
    refresh: "Actualizar",
    rows: "Filas leídas",
    toIssue: "Certificados por emitir",
    issued: "Certificados emitidos",
    alreadyIssued: "Emitidos antes",
    soldOut: "Agotados",
    notPaid: "Filas sin pagar",
    refunded: "Filas reembolsadas",
    cancelled: "Filas canceladas",
    rejected: "Filas rechazadas",
    rejectedLead:
      "No se emite ningún certificado para estas filas. Corríjalas en la exportación de pedidos e impórtela de nuevo.",
    download: "Descargar la lista",
    nothingToIssue: "No hay nada que emitir.",
    startLead: "Los certificados se emiten de inmediato y su webhook recibe un mensaje por cada uno.",
    fileGone: "El archivo ya no está guardado. Súbalo de nuevo.",
    line: (line) => `Fila ${line}`,
    unreadable: (line) =>
      line === 0 ? "No se puede leer el archivo:" : `No se puede leer el archivo a partir de la fila ${line}:`,
    start: (count) => `Emitir ahora: ${count}`,
  },
  it: {
    incomplete: "Il file non è arrivato per intero. Caricalo di nuovo.",
    keepsRunning: "Puoi lasciare questa pagina: il lavoro continua.",
    refresh: "Aggiorna",
    rows: "Righe lette",
    toIssue: "Certificati da emettere",
    issued: "Certificati emessi",
    alreadyIssued: "Già emessi",
    soldOut: "Esauriti",
    notPaid: "Righe non pagate",
    refunded: "Righe rimborsate",
    cancelled: "Righe annullate",
    rejected: "Righe rifiutate",
    rejectedLead:
      "Per queste righe non viene emesso alcun certificato. Correggile nell’esportazione degli ordini e importala di nuovo.",
    download: "Scarica l’elenco",
    nothingToIssue: "Non c’è nulla da emettere.",
    startLead: "I certificati vengono emessi subito e il tuo webhook riceve un messaggio per ognuno.",
    fileGone: "Il file non è più conservato. Caricalo di nuovo.",
    line: (line) => `Riga ${line}`,
    unreadable: (line) => (line === 0 ? "Il file è illeggibile:" : `Il file è illeggibile dalla riga ${line} in poi:`),
    start: (count) => `Emetti ora: ${count}`,
  },
  pt: {
    incomplete: "O arquivo não chegou por inteiro. Envie-o novamente.",
    keepsRunning: "Você pode sair desta página: o trabalho continua.",
    refresh: "Atualizar",
    rows: "Linhas lidas",
    toIssue: "Certificados a emitir",
    issued: "Certificados emitidos",
    alreadyIssued: "Emitidos antes",
    soldOut: "Esgotados",
    notPaid: "Linhas não pagas",
    refunded: "Linhas reembolsadas",
    cancelled: "Linhas canceladas",
    rejected: "Linhas recusadas",
    rejectedLead:
      "Nenhum certificado é emitido para estas linhas. Corrija-as na exportação de pedidos e importe-a novamente.",
    download: "Baixar a lista",
    nothingToIssue: "Não há nada a emitir.",
    startLead: "Os certificados são emitidos imediatamente, e seu webhook recebe uma mensagem para cada um.",
    fileGone: "O arquivo não está mais guardado. Envie-o novamente.",
    line: (line) => `Linha ${line}`,
    unreadable: (line) =>
      line === 0 ? "O arquivo não pode ser lido:" : `O arquivo não pode ser lido a partir da linha ${line}:`,
    start: (count) => `Emitir agora: ${count}`,
  },
  nl: {
    incomplete: "Het bestand is niet volledig aangekomen. Upload het opnieuw.",
    keepsRunning: "Je kunt deze pagina verlaten: het werk gaat door.",
    refresh: "Vernieuwen",
    rows: "Gelezen regels",
    toIssue: "Uit te geven certificaten",
    issued: "Uitgegeven certificaten",
    alreadyIssued: "Eerder uitgegeven",
    soldOut: "Uitverkocht",
    notPaid: "Niet-betaalde regels",
    refunded: "Terugbetaalde regels",
    cancelled: "Geannuleerde regels",
    rejected: "Geweigerde regels",
    rejectedLead:
      "Voor deze regels wordt geen certificaat uitgegeven. Verbeter ze in de export van de bestellingen en importeer die opnieuw.",
    download: "Lijst downloaden",
    nothingToIssue: "Er valt niets uit te geven.",
    startLead: "De certificaten worden meteen uitgegeven, en je webhook krijgt voor elk een bericht.",
    fileGone: "Het bestand is niet meer opgeslagen. Upload het opnieuw.",
    line: (line) => `Regel ${line}`,
    unreadable: (line) =>
      line === 0 ? "Het bestand is niet leesbaar:" : `Het bestand is vanaf regel ${line} niet leesbaar:`,
    start: (count) => `Nu uitgeven: ${count}`,
  },
  ja: {
    incomplete: "ファイルが最後まで届きませんでした。もう一度アップロードしてください。",
    keepsRunning: "このページを離れても、処理は続きます。",
    refresh: "更新",
    rows: "読み込んだ行",
    toIssue: "発行予定の証明書",
    issued: "発行した証明書",
    alreadyIssued: "発行済み",
    soldOut: "完売",
    notPaid: "未払いの行",
    refunded: "返金済みの行",
    cancelled: "キャンセルされた行",
    rejected: "却下された行",
    rejectedLead: "これらの行の証明書は発行されません。注文のエクスポートを修正し、もう一度インポートしてください。",
    download: "一覧をダウンロード",
    nothingToIssue: "発行するものはありません。",
    startLead: "証明書はすぐに発行され、1枚ごとにWebhookへメッセージが送信されます。",
    fileGone: "ファイルはもう保存されていません。もう一度アップロードしてください。",
    line: (line) => `${line}行目`,
    unreadable: (line) => (line === 0 ? "ファイルを読み取れません：" : `${line}行目以降を読み取れません：`),
    start: (count) => `${count}枚を発行`,
  },
};
