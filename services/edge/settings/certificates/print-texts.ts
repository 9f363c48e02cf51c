import type { Texts } from "../model/settings-page.ts";

interface PrintTexts {
  readonly title: string;
  readonly lead: string;
  readonly print: string;
}

export const texts: Texts<PrintTexts> = {
  en: {
    title: "QR codes",
    lead: "Cut out the codes and attach them to your products. Each one opens its certificate.",
    print: "Print",
  },
  de: {
    title: "QR-Codes",
    lead: "Schneiden Sie die Codes aus und legen Sie sie Ihren Produkten bei. Jeder öffnet sein Zertifikat.",
    print: "Drucken",
  },
  fr: {
    title: "Codes QR",
    lead: "Découpez les codes et joignez-les à vos produits. Chacun ouvre son certificat.",
    print: "Imprimer",
  },
  es: {
    title: "Códigos QR",
    lead: "Recorte los códigos y adjúntelos a sus productos. Cada uno abre su certificado.",
    print: "Imprimir",
  },
  it: {
    title: "Codici QR",
    lead: "Ritaglia i codici e allegali ai tuoi prodotti. Ognuno apre il proprio certificato.",
    print: "Stampa",
  },
  pt: {
    title: "Códigos QR",
    lead: "Recorte os códigos e junte-os aos seus produtos. Cada um abre o seu certificado.",
    print: "Imprimir",
  },
  nl: {
    title: "QR-codes",
    lead: "Knip de codes uit en voeg ze bij je producten. Elke code opent zijn eigen certificaat.",
    print: "Afdrukken",
  },
  ja: {
    title: "QRコード",
    lead: "切り取って商品に添えてください。読み取ると、それぞれの証明書が開きます。",
    print: "印刷",
  },
};
