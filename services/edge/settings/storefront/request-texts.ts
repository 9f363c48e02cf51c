import type { Texts } from "../model/settings-page.ts";

interface RequestTexts {
  readonly title: string;
  readonly count: (count: string) => string;
  readonly show: string;
  readonly lead: string;
  readonly empty: string;
  /** Followed by the time at which the request arrived. */
  readonly request: string;
  readonly download: string;
}

export const requestTexts: Texts<RequestTexts> = {
  en: {
    title: "Customers’ data requests",
    count: (count) => `Requests from customers for their data: ${count}`,
    show: "Show requests",
    lead: "Your storefront platform forwarded these requests. Send each customer the report with their certificates.",
    empty: "No customer has requested their data.",
    request: "Request of",
    download: "Download report (JSON)",
  },
  de: {
    title: "Datenanfragen von Kunden",
    count: (count) => `Anfragen von Kunden nach ihren Daten: ${count}`,
    show: "Anfragen ansehen",
    lead: "Ihre Shop-Plattform hat diese Anfragen weitergeleitet. Senden Sie den Kunden jeweils den Bericht mit ihren Zertifikaten.",
    empty: "Kein Kunde hat seine Daten angefragt.",
    request: "Anfrage vom",
    download: "Bericht herunterladen (JSON)",
  },
  fr: {
    title: "Demandes de données des clients",
    count: (count) => `Demandes de clients concernant leurs données : ${count}`,
    show: "Afficher les demandes",
    lead: "Votre plateforme de vente a transmis ces demandes. Envoyez à chaque client le rapport avec ses certificats.",
    empty: "Aucun client n’a demandé ses données.",
    request: "Demande du",
    download: "Télécharger le rapport (JSON)",
  },
  es: {
    title: "Solicitudes de datos de clientes",
    count: (count) => `Solicitudes de clientes sobre sus datos: ${count}`,
    show: "Ver solicitudes",
    lead: "Su plataforma de venta ha reenviado estas solicitudes. Envíe a cada cliente el informe con sus certificados.",
    empty: "Ningún cliente ha solicitado sus datos.",
    request: "Solicitud del",
    download: "Descargar informe (JSON)",
  },
  it: {
    title: "Richieste di dati dei clienti",
    count: (count) => `Richieste dei clienti sui propri dati: ${count}`,
    show: "Mostra le richieste",
    lead: "La tua piattaforma di vendita ha inoltrato queste richieste. Invia a ogni cliente il rapporto con i suoi certificati.",
    empty: "Nessun cliente ha richiesto i propri dati.",
    request: "Richiesta del",
    download: "Scarica il rapporto (JSON)",
  },
  pt: {
    title: "Solicitações de dados de clientes",
    count: (count) => `Solicitações de clientes sobre seus dados: ${count}`,
    show: "Mostrar solicitações",
    lead: "Sua plataforma de vendas encaminhou estas solicitações. Envie a cada cliente o relatório com os certificados dele.",
    empty: "Nenhum cliente solicitou seus dados.",
    request: "Solicitação de",
    download: "Baixar relatório (JSON)",
  },
  nl: {
    title: "Gegevensverzoeken van klanten",
    count: (count) => `Verzoeken van klanten om hun gegevens: ${count}`,
    show: "Verzoeken bekijken",
    lead: "Je winkelplatform heeft deze verzoeken doorgestuurd. Stuur elke klant het rapport met zijn certificaten.",
    empty: "Geen enkele klant heeft om zijn gegevens gevraagd.",
    request: "Verzoek van",
    download: "Rapport downloaden (JSON)",
  },
  ja: {
    title: "お客様からのデータ開示請求",
    count: (count) => `お客様からのデータ開示請求：${count}件`,
    show: "請求を表示",
    lead: "ECプラットフォームから転送された請求です。証明書の情報を含むレポートを、請求されたお客様にお送りください。",
    empty: "お客様からのデータ開示請求はありません。",
    request: "請求日時：",
    download: "レポートをダウンロード（JSON）",
  },
};
