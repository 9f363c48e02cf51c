import type { Texts } from "../model/settings-page.ts";

interface CertificateTexts {
  readonly lead: string;
  readonly search: string;
  readonly status: string;
  readonly all: string;
  readonly find: string;
  readonly empty: string;
  readonly issue: string;
  readonly buyer: string;
  readonly buyerEmail: string;
  readonly product: string;
  readonly variant: string;
  readonly sku: string;
  readonly validUntil: string;
  readonly validUntilHint: string;
  readonly emailInvalid: string;
  readonly dateNotFuture: string;
  readonly issued: string;
  readonly soldOut: string;
  readonly download: string;
}

export const texts: Texts<CertificateTexts> = {
  en: {
    lead: "Most recently changed first.",
    ...{ search: "Number, order (#1042) or email of the owner", status: "Status", all: "All", find: "Search" },
    ...{ empty: "No certificates match.", issue: "Issue certificate", buyer: "Name of the buyer" },
    ...{ buyerEmail: "Email of the buyer", product: "Title of the product", variant: "Variant (optional)" },
    ...{
      sku: "SKU (optional)",
      validUntil: "Valid until (optional)",
      validUntilHint: "Until the end of the day (UTC). Empty: no expiry date.",
    },
    ...{ emailInvalid: "Enter a valid email address.", dateNotFuture: "Enter a date in the future." },
    ...{ issued: "The certificate is issued.", soldOut: "All numbers of this edition are assigned." },
    download: "Download as CSV",
  },
  de: {
    lead: "Zuletzt geänderte zuerst.",
    ...{
      search: "Nummer, Bestellung (#1042) oder E-Mail des Besitzers",
      status: "Status",
      all: "Alle",
      find: "Suchen",
    },
    ...{ empty: "Keine passenden Zertifikate.", issue: "Zertifikat ausstellen", buyer: "Name des Käufers" },
    ...{ buyerEmail: "E-Mail des Käufers", product: "Titel des Produkts", variant: "Variante (optional)" },
    ...{
      sku: "SKU (optional)",
      validUntil: "Gültig bis (optional)",
      validUntilHint: "Bis zum Ende des Tages (UTC). Leer: unbegrenzt gültig.",
    },
    ...{
      emailInvalid: "Geben Sie eine gültige E-Mail-Adresse ein.",
      dateNotFuture: "Geben Sie ein künftiges Datum ein.",
    },
    ...{ issued: "Das Zertifikat ist ausgestellt.", soldOut: "Alle Nummern dieser Edition sind vergeben." },
    download: "Als CSV herunterladen",
  },
  fr: {
    lead: "Les derniers modifiés en premier.",
    ...{ search: "Numéro, commande (#1042) ou e-mail du propriétaire", status: "Statut", all: "Tous" },
    ...{ find: "Rechercher", empty: "Aucun certificat ne correspond.", issue: "Émettre un certificat" },
    ...{ buyer: "Nom de l’acheteur", buyerEmail: "E-mail de l’acheteur", product: "Titre du produit" },
    ...{ variant: "Variante (facultatif)", sku: "SKU (facultatif)", validUntil: "Valable jusqu’au (facultatif)" },
    ...{
      validUntilHint: "Jusqu’à la fin de la journée (UTC). Vide : sans date d’expiration.",
      emailInvalid: "Saisissez une adresse e-mail valide.",
    },
    ...{ dateNotFuture: "Saisissez une date future.", issued: "Le certificat est émis." },
    ...{ soldOut: "Tous les numéros de cette édition sont attribués.", download: "Télécharger en CSV" },
  },
  es: {
    lead: "Los modificados más recientemente primero.",
    ...{ search: "Número, pedido (#1042) o correo del propietario", status: "Estado", all: "Todos", find: "Buscar" },
    ...{ empty: "Ningún certificado coincide.", issue: "Emitir certificado", buyer: "Nombre del comprador" },
    ...{ buyerEmail: "Correo del comprador", product: "Título del producto", variant: "Variante (opcional)" },
    ...{
      sku: "SKU (opcional)",
      validUntil: "Válido hasta (opcional)",
      validUntilHint: "Hasta el final del día (UTC). Vacío: sin fecha de caducidad.",
    },
    ...{ emailInvalid: "Introduzca un correo electrónico válido.", dateNotFuture: "Introduzca una fecha futura." },
    ...{ issued: "Se ha emitido el certificado.", soldOut: "Todos los números de esta edición están asignados." },
    download: "Descargar como CSV",
  },
  it: {
    lead: "Prima quelli modificati più di recente.",
    ...{ search: "Numero, ordine (#1042) o e-mail del proprietario", status: "Stato", all: "Tutti", find: "Cerca" },
    ...{ empty: "Nessun certificato corrisponde.", issue: "Emetti certificato", buyer: "Nome dell’acquirente" },
    ...{ buyerEmail: "E-mail dell’acquirente", product: "Titolo del prodotto", variant: "Variante (facoltativo)" },
    ...{
      sku: "SKU (facoltativo)",
      validUntil: "Valido fino al (facoltativo)",
      validUntilHint: "Fino alla fine del giorno (UTC). Vuoto: senza scadenza.",
    },
    ...{ emailInvalid: "Inserisci un indirizzo e-mail valido.", dateNotFuture: "Inserisci una data futura." },
    ...{ issued: "Il certificato è stato emesso.", soldOut: "Tutti i numeri di questa edizione sono assegnati." },
    download: "Scarica come CSV",
  },
  pt: {
    lead: "Os alterados mais recentemente primeiro.",
    ...{ search: "Número, pedido (#1042) ou e-mail do proprietário", status: "Situação", all: "Todos", find: "Buscar" },
    ...{ empty: "Nenhum certificado corresponde.", issue: "Emitir certificado", buyer: "Nome do comprador" },
    ...{ buyerEmail: "E-mail do comprador", product: "Título do produto", variant: "Variante (opcional)" },
    ...{
      sku: "SKU (opcional)",
      validUntil: "Válido até (opcional)",
      validUntilHint: "Até o fim do dia (UTC). Vazio: sem data de validade.",
    },
    ...{ emailInvalid: "Digite um e-mail válido.", dateNotFuture: "Digite uma data futura." },
    ...{ issued: "O certificado foi emitido.", soldOut: "Todos os números desta edição já foram atribuídos." },
    download: "Baixar como CSV",
  },
  nl: {
    lead: "Laatst gewijzigde eerst.",
    ...{
      search: "Nummer, bestelling (#1042) of e-mail van de eigenaar",
      status: "Status",
      all: "Alle",
      find: "Zoeken",
    },
    ...{ empty: "Geen overeenkomende certificaten.", issue: "Certificaat uitgeven", buyer: "Naam van de koper" },
    ...{ buyerEmail: "E-mail van de koper", product: "Titel van het product", variant: "Variant (optioneel)" },
    ...{
      sku: "SKU (optioneel)",
      validUntil: "Geldig tot (optioneel)",
      validUntilHint: "Tot het einde van de dag (UTC). Leeg: geen vervaldatum.",
    },
    ...{ emailInvalid: "Vul een geldig e-mailadres in.", dateNotFuture: "Vul een datum in de toekomst in." },
    ...{ issued: "Het certificaat is uitgegeven.", soldOut: "Alle nummers van deze editie zijn toegekend." },
    download: "Downloaden als CSV",
  },
  ja: {
    lead: "最近変更された順に表示しています。",
    ...{ search: "証明書番号、注文（#1042）、所有者のメールアドレス", status: "状態", all: "すべて", find: "検索" },
    ...{ empty: "該当する証明書はありません。", issue: "証明書を発行", buyer: "購入者の氏名" },
    ...{
      buyerEmail: "購入者のメールアドレス",
      product: "商品名",
      variant: "バリエーション（任意）",
      sku: "SKU（任意）",
    },
    ...{
      validUntil: "有効期限（任意）",
      validUntilHint: "この日の終わり（UTC）まで有効です。空欄の場合は無期限です。",
    },
    ...{ emailInvalid: "正しいメールアドレスを入力してください。", dateNotFuture: "未来の日付を入力してください。" },
    ...{ issued: "証明書を発行しました。", soldOut: "このエディションの番号はすべて割り当て済みです。" },
    download: "CSVでダウンロード",
  },
};
