import type { Texts } from "../model/settings-page.ts";

interface PrintTexts {
  readonly title: string;
  readonly lead: string;
  readonly print: string;
  readonly sheets: string;
  readonly sheetsLead: string;
  readonly onePerPage: string;
  readonly fourPerPage: string;
  /** Label of a check box, followed by the serial number of its certificate. */
  readonly select: string;
  /** Text before the buttons that open the pages for printing. */
  readonly selected: string;
}

export const texts: Texts<PrintTexts> = {
  en: {
    title: "QR codes",
    lead: "Cut out the codes and attach them to your products. Each one opens its certificate.",
    print: "Print",
    sheets: "Certificate sheets",
    sheetsLead: "Each certificate as its page shows it. Print them on paper in A4 or letter size.",
    onePerPage: "One per page",
    fourPerPage: "Four per page",
    select: "Select",
    selected: "Selected certificates, or all found:",
  },
  de: {
    title: "QR-Codes",
    lead: "Schneiden Sie die Codes aus und legen Sie sie Ihren Produkten bei. Jeder öffnet sein Zertifikat.",
    print: "Drucken",
    sheets: "Zertifikate drucken",
    sheetsLead: "Jedes Zertifikat, wie seine Seite es zeigt. Drucken Sie auf Papier im Format A4.",
    onePerPage: "Eins pro Seite",
    fourPerPage: "Vier pro Seite",
    select: "Auswählen",
    selected: "Ausgewählte Zertifikate oder alle gefundenen:",
  },
  fr: {
    title: "Codes QR",
    lead: "Découpez les codes et joignez-les à vos produits. Chacun ouvre son certificat.",
    print: "Imprimer",
    sheets: "Certificats à imprimer",
    sheetsLead: "Chaque certificat tel que sa page le montre. Imprimez sur du papier A4.",
    onePerPage: "Un par page",
    fourPerPage: "Quatre par page",
    select: "Sélectionner",
    selected: "Certificats sélectionnés, ou tous ceux trouvés :",
  },
  es: {
    title: "Códigos QR",
    lead: "Recorte los códigos y adjúntelos a sus productos. Cada uno abre su certificado.",
    print: "Imprimir",
    sheets: "Certificados para imprimir",
    sheetsLead: "Cada certificado tal como lo muestra su página. Imprima en papel A4.",
    onePerPage: "Uno por página",
    fourPerPage: "Cuatro por página",
    select: "Seleccionar",
    selected: "Certificados seleccionados, o todos los encontrados:",
  },
  it: {
    title: "Codici QR",
    lead: "Ritaglia i codici e allegali ai tuoi prodotti. Ognuno apre il proprio certificato.",
    print: "Stampa",
    sheets: "Certificati da stampare",
    sheetsLead: "Ogni certificato come lo mostra la sua pagina. Stampa su carta A4.",
    onePerPage: "Uno per pagina",
    fourPerPage: "Quattro per pagina",
    select: "Seleziona",
    selected: "Certificati selezionati, o tutti quelli trovati:",
  },
  pt: {
    title: "Códigos QR",
    lead: "Recorte os códigos e junte-os aos seus produtos. Cada um abre o seu certificado.",
    print: "Imprimir",
    sheets: "Certificados para imprimir",
    sheetsLead: "Cada certificado como a página o mostra. Imprima em papel A4.",
    onePerPage: "Um por página",
    fourPerPage: "Quatro por página",
    select: "Selecionar",
    selected: "Certificados selecionados, ou todos os encontrados:",
  },
  nl: {
    title: "QR-codes",
    lead: "Knip de codes uit en voeg ze bij je producten. Elke code opent zijn eigen certificaat.",
    print: "Afdrukken",
    sheets: "Certificaten afdrukken",
    sheetsLead: "Elk certificaat zoals zijn pagina het toont. Druk af op A4-papier.",
    onePerPage: "Eén per pagina",
    fourPerPage: "Vier per pagina",
    select: "Selecteren",
    selected: "Geselecteerde certificaten, of alle gevonden:",
  },
  ja: {
    title: "QRコード",
    lead: "切り取って商品に添えてください。読み取ると、それぞれの証明書が開きます。",
    print: "印刷",
    sheets: "証明書の印刷",
    sheetsLead: "各証明書をページと同じ見た目で印刷します。用紙はA4をお使いください。",
    onePerPage: "1ページに1枚",
    fourPerPage: "1ページに4枚",
    select: "選択",
    selected: "選択した証明書、または検索結果すべて：",
  },
};
