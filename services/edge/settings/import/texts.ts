import type { Texts } from "../model/settings-page.ts";

interface ImportTexts {
  readonly title: string;
  readonly lead: string;
  readonly file: string;
  readonly fileHint: string;
  readonly upload: string;
  readonly earlier: string;
  readonly unnamed: string;
  readonly chooseFile: string;
  readonly tooLarge: string;
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
  readonly states: Readonly<Record<"uploading" | "examining" | "examined" | "issuing" | "finished", string>>;
  readonly line: (line: number) => string;
  /** @param line 0: the fault is not in a line */
  readonly unreadable: (line: number) => string;
  /** @param count the formatted number of certificates */
  readonly start: (count: string) => string;
}

export const texts: Texts<ImportTexts> = {
  en: {
    title: "Import orders",
    lead: "Upload the order export of your storefront (CSV). First you see what would happen; nothing is issued until you confirm.",
    file: "Order export",
    fileHint: "A CSV file of at most 10 MB. Importing the same orders again is safe: each item gets one certificate.",
    upload: "Upload and check",
    earlier: "Earlier imports",
    unnamed: "File without a name",
    chooseFile: "Choose a file.",
    tooLarge: "The file is larger than 10 MB. Export a shorter period, or import it with certctl.",
    incomplete: "The file did not arrive completely. Upload it again.",
    keepsRunning: "You can leave this page: the work continues.",
    refresh: "Update",
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
    states: {
      uploading: "Upload incomplete",
      examining: "Checking the file",
      examined: "Checked",
      issuing: "Issuing certificates",
      finished: "Finished",
    },
    line: (line) => `Line ${line}`,
    unreadable: (line) => (line === 0 ? "The file cannot be read:" : `The file cannot be read from line ${line} on:`),
    start: (count) => `Issue now: ${count}`,
  },
  de: {
    title: "Bestellungen importieren",
    lead: "Laden Sie den Export der Bestellungen Ihres Shops hoch (CSV). Zuerst sehen Sie, was geschehen würde; ausgestellt wird erst, wenn Sie zustimmen.",
    file: "Export der Bestellungen",
    fileHint:
      "Eine CSV-Datei mit höchstens 10 MB. Dieselben Bestellungen noch einmal zu importieren, ist unbedenklich: Jeder Artikel erhält ein Zertifikat.",
    upload: "Hochladen und prüfen",
    earlier: "Frühere Importe",
    unnamed: "Datei ohne Namen",
    chooseFile: "Wählen Sie eine Datei.",
    tooLarge:
      "Die Datei ist größer als 10 MB. Exportieren Sie einen kürzeren Zeitraum oder importieren Sie sie mit certctl.",
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
    states: {
      uploading: "Unvollständig hochgeladen",
      examining: "Datei wird geprüft",
      examined: "Geprüft",
      issuing: "Zertifikate werden ausgestellt",
      finished: "Fertig",
    },
    line: (line) => `Zeile ${line}`,
    unreadable: (line) => (line === 0 ? "Die Datei ist nicht lesbar:" : `Die Datei ist ab Zeile ${line} nicht lesbar:`),
    start: (count) => `Jetzt ausstellen: ${count}`,
  },
  fr: {
    title: "Importer des commandes",
    lead: "Téléversez l’export des commandes de votre boutique (CSV). Vous voyez d’abord ce qui se passerait ; rien n’est émis avant votre confirmation.",
    file: "Export des commandes",
    fileHint:
      "Un fichier CSV de 10 Mo au maximum. Réimporter les mêmes commandes est sans risque : chaque article reçoit un seul certificat.",
    upload: "Téléverser et vérifier",
    earlier: "Importations précédentes",
    unnamed: "Fichier sans nom",
    chooseFile: "Choisissez un fichier.",
    tooLarge: "Le fichier dépasse 10 Mo. Exportez une période plus courte ou importez-le avec certctl.",
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
    states: {
      uploading: "Téléversement incomplet",
      examining: "Vérification du fichier",
      examined: "Vérifié",
      issuing: "Émission des certificats",
      finished: "Terminé",
    },
    line: (line) => `Ligne ${line}`,
    unreadable: (line) =>
      line === 0 ? "Le fichier est illisible :" : `Le fichier est illisible à partir de la ligne ${line} :`,
    start: (count) => `Émettre maintenant : ${count}`,
  },
  es: {
    title: "Importar pedidos",
    lead: "Suba la exportación de pedidos de su tienda (CSV). Primero verá lo que ocurriría; no se emite nada hasta que lo confirme.",
    file: "Exportación de pedidos",
    fileHint:
      "Un archivo CSV de 10 MB como máximo. Importar de nuevo los mismos pedidos no es un problema: cada artículo recibe un solo certificado.",
    upload: "Subir y comprobar",
    earlier: "Importaciones anteriores",
    unnamed: "Archivo sin nombre",
    chooseFile: "Elija un archivo.",
    tooLarge: "El archivo supera los 10 MB. Exporte un periodo más corto o impórtelo con certctl.",
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
    states: {
      uploading: "Subida incompleta",
      examining: "Comprobando el archivo",
      examined: "Comprobado",
      issuing: "Emitiendo certificados",
      finished: "Terminado",
    },
    line: (line) => `Fila ${line}`,
    unreadable: (line) =>
      line === 0 ? "No se puede leer el archivo:" : `No se puede leer el archivo a partir de la fila ${line}:`,
    start: (count) => `Emitir ahora: ${count}`,
  },
  it: {
    title: "Importa ordini",
    lead: "Carica l’esportazione degli ordini del tuo negozio (CSV). Prima vedi che cosa accadrebbe; nulla viene emesso finché non confermi.",
    file: "Esportazione degli ordini",
    fileHint:
      "Un file CSV di al massimo 10 MB. Importare di nuovo gli stessi ordini non crea problemi: ogni articolo riceve un solo certificato.",
    upload: "Carica e controlla",
    earlier: "Importazioni precedenti",
    unnamed: "File senza nome",
    chooseFile: "Scegli un file.",
    tooLarge: "Il file supera i 10 MB. Esporta un periodo più breve o importalo con certctl.",
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
    states: {
      uploading: "Caricamento incompleto",
      examining: "Controllo del file",
      examined: "Controllato",
      issuing: "Emissione dei certificati",
      finished: "Completata",
    },
    line: (line) => `Riga ${line}`,
    unreadable: (line) => (line === 0 ? "Il file è illeggibile:" : `Il file è illeggibile dalla riga ${line} in poi:`),
    start: (count) => `Emetti ora: ${count}`,
  },
  pt: {
    title: "Importar pedidos",
    lead: "Envie a exportação de pedidos da sua loja (CSV). Primeiro você vê o que aconteceria; nada é emitido até você confirmar.",
    file: "Exportação de pedidos",
    fileHint:
      "Um arquivo CSV de no máximo 10 MB. Importar os mesmos pedidos de novo é seguro: cada item recebe um só certificado.",
    upload: "Enviar e verificar",
    earlier: "Importações anteriores",
    unnamed: "Arquivo sem nome",
    chooseFile: "Escolha um arquivo.",
    tooLarge: "O arquivo passa de 10 MB. Exporte um período mais curto ou importe-o com o certctl.",
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
    states: {
      uploading: "Envio incompleto",
      examining: "Verificando o arquivo",
      examined: "Verificado",
      issuing: "Emitindo certificados",
      finished: "Concluída",
    },
    line: (line) => `Linha ${line}`,
    unreadable: (line) =>
      line === 0 ? "O arquivo não pode ser lido:" : `O arquivo não pode ser lido a partir da linha ${line}:`,
    start: (count) => `Emitir agora: ${count}`,
  },
  nl: {
    title: "Bestellingen importeren",
    lead: "Upload de export van de bestellingen van je winkel (CSV). Eerst zie je wat er zou gebeuren; er wordt niets uitgegeven voordat je bevestigt.",
    file: "Export van de bestellingen",
    fileHint:
      "Een CSV-bestand van hoogstens 10 MB. Dezelfde bestellingen nog eens importeren kan geen kwaad: elk artikel krijgt één certificaat.",
    upload: "Uploaden en controleren",
    earlier: "Eerdere imports",
    unnamed: "Bestand zonder naam",
    chooseFile: "Kies een bestand.",
    tooLarge: "Het bestand is groter dan 10 MB. Exporteer een kortere periode of importeer het met certctl.",
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
    states: {
      uploading: "Upload onvolledig",
      examining: "Bestand wordt gecontroleerd",
      examined: "Gecontroleerd",
      issuing: "Certificaten worden uitgegeven",
      finished: "Klaar",
    },
    line: (line) => `Regel ${line}`,
    unreadable: (line) =>
      line === 0 ? "Het bestand is niet leesbaar:" : `Het bestand is vanaf regel ${line} niet leesbaar:`,
    start: (count) => `Nu uitgeven: ${count}`,
  },
  ja: {
    title: "注文のインポート",
    lead: "ストアからエクスポートした注文（CSV）をアップロードしてください。まず結果の見込みが表示され、確認するまで証明書は発行されません。",
    file: "注文のエクスポートファイル",
    fileHint: "10MBまでのCSVファイル。同じ注文を再びインポートしても、証明書は商品1点につき1枚だけ発行されます。",
    upload: "アップロードして確認",
    earlier: "これまでのインポート",
    unnamed: "名前のないファイル",
    chooseFile: "ファイルを選択してください。",
    tooLarge: "ファイルが10MBを超えています。期間を短くしてエクスポートするか、certctlでインポートしてください。",
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
    states: {
      uploading: "アップロード未完了",
      examining: "ファイルを確認しています",
      examined: "確認済み",
      issuing: "証明書を発行しています",
      finished: "完了",
    },
    line: (line) => `${line}行目`,
    unreadable: (line) => (line === 0 ? "ファイルを読み取れません：" : `${line}行目以降を読み取れません：`),
    start: (count) => `${count}枚を発行`,
  },
};
