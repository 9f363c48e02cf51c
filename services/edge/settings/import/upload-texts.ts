import type { Texts } from "../model/settings-page.ts";

interface UploadTexts {
  readonly title: string;
  readonly lead: string;
  readonly file: string;
  readonly fileHint: string;
  readonly upload: string;
  readonly earlier: string;
  readonly unnamed: string;
  readonly chooseFile: string;
  readonly tooLarge: string;
}

/** The texts of the page for uploading an order export. */
export const uploadTexts: Texts<UploadTexts> = {
  en: {
    title: "Import orders",
    lead: "Upload the order export of your storefront (CSV). First you see what would happen; nothing is issued until you confirm.",
    file: "Order export",
    fileHint: "A CSV file of at most 10 MB. Importing the same orders again is safe: each item gets one certificate.",
    upload: "Upload and check",
    earlier: "Earlier imports",
    unnamed: "File without a name",
    chooseFile: "Choose a file.",
    tooLarge: "The file is larger than 10 MB. Export a shorter period, or import the file with certctl.",
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
  },
};
