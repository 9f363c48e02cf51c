import type { Texts } from "../model/settings-page.ts";

/** The details of administrative changes, as the registry names them. */
export const detailNames: readonly string[] = [
  ...["shop", "plan", "editionStyle", "verifyBaseUrl", "language", "displayName", "ownerDisplay", "count"],
  ...["keyId", "newKeyId", "graceSeconds", "reportId", "host", "format", "secret", "step"],
  ...["trigger", "cause", "for", "by", "logo", "import", "names"],
];

/** The labels of the details, in the order of the constant `detailNames` above. */
export const detailTexts: Texts<readonly string[]> = {
  en: [
    ...["Shop", "Plan", "Edition style", "Address of links", "Language"],
    ...["Name of the store", "Shown of the owner", "Number", "Key", "New key"],
    ...["Old key works for (seconds)", "Report", "Server", "Format", "Signing secret"],
    ...["Step", "Trigger", "Cause", "For", "Through"],
    ...["Logo", "Import", "Rules"],
  ],
  de: [
    ...["Shop-Adresse", "Tarif", "Editionsnummern", "Adresse der Links", "Sprache"],
    ...["Name des Shops", "Vom Besitzer sichtbar", "Anzahl", "Schlüssel", "Neuer Schlüssel"],
    ...["Alter Schlüssel gilt noch (Sekunden)", "Meldung", "Empfänger", "Nachrichtenformat", "Signaturgeheimnis"],
    ...["Schritt", "Trigger-ID", "Ursache", "Für", "Über"],
    ...["Logo", "Importvorgang", "Regeln"],
  ],
  fr: [
    ...["Boutique", "Formule", "Style des numéros", "Adresse des liens", "Langue"],
    ...["Nom de la boutique", "Propriétaire affiché", "Nombre", "Clé", "Nouvelle clé"],
    ...["Ancienne clé valable encore (secondes)", "Signalement", "Serveur", "Format du message", "Secret de signature"],
    ...["Étape", "Déclencheur", "Raison", "Pour", "Au moyen de"],
    ...["Logo", "Importation", "Règles"],
  ],
  es: [
    ...["Tienda", "Plan", "Estilo de los números", "Dirección de los enlaces", "Idioma"],
    ...["Nombre de la tienda", "Propietario visible", "Cantidad", "Clave", "Clave nueva"],
    ...["La clave anterior sirve aún (segundos)", "Aviso", "Servidor", "Formato", "Secreto de firma"],
    ...["Paso", "Activador", "Causa", "Para", "Mediante"],
    ...["Logotipo", "Importación", "Reglas"],
  ],
  it: [
    ...["Negozio", "Piano", "Stile dei numeri", "Indirizzo dei link", "Lingua"],
    ...["Nome del negozio", "Proprietario mostrato", "Numero", "Chiave", "Nuova chiave"],
    ...[
      "Vecchia chiave valida ancora (secondi)",
      "Segnalazione",
      "Server del ricevitore",
      "Formato",
      "Segreto di firma",
    ],
    ...["Passo", "ID del trigger", "Causa", "Per", "Tramite"],
    ...["Logo", "Importazione", "Regole"],
  ],
  pt: [
    ...["Loja", "Plano", "Estilo dos números", "Endereço dos links", "Idioma"],
    ...["Nome da loja", "Proprietário exibido", "Quantidade", "Chave", "Nova chave"],
    ...["Chave antiga ainda vale (segundos)", "Relato", "Servidor", "Formato", "Segredo de assinatura"],
    ...["Etapa", "Gatilho", "Causa", "Para", "Por meio de"],
    ...["Logotipo", "Importação", "Regras"],
  ],
  nl: [
    ...["Winkel", "Abonnement", "Stijl van nummers", "Adres van links", "Taal"],
    ...["Naam van de winkel", "Van eigenaar zichtbaar", "Aantal", "Sleutel", "Nieuwe sleutel"],
    ...["Oude sleutel werkt nog (seconden)", "Melding", "Ontvanger", "Berichtformaat", "Ondertekeningsgeheim"],
    ...["Stap", "Trigger-ID", "Oorzaak", "Voor", "Via"],
    ...["Logo", "Importtaak", "Regels"],
  ],
  ja: [
    ...["ショップ", "プラン", "番号の書式", "リンクのアドレス", "言語"],
    ...["ストア名", "表示する所有者情報", "件数", "キー", "新しいキー"],
    ...["古いキーの残り有効期間（秒）", "報告", "送信先サーバー", "形式", "署名シークレット"],
    ...["手順", "トリガー", "原因", "対象者", "方法"],
    ...["ロゴ", "インポート", "ルール"],
  ],
};
