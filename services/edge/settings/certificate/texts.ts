import type { Texts } from "../model/settings-page.ts";

interface CertificateTexts {
  readonly open: string;
  readonly order: string;
  readonly byHand: string;
  readonly originalBuyer: string;
  readonly revoke: string;
  readonly revokeLead: string;
  readonly reasonLabel: string;
  readonly reasonHint: string;
  readonly reactivate: string;
  readonly reactivateLead: string;
  readonly transfer: string;
  readonly transferLead: string;
  readonly newName: string;
  readonly newEmail: string;
  readonly history: string;
  readonly messages: string;
  readonly done: Readonly<Record<"revoked" | "reactivated" | "transferred" | "unchanged", string>>;
}

export const texts: Texts<CertificateTexts> = {
  en: {
    ...{ open: "Open certificate page", order: "Order", byHand: "Issued by hand", originalBuyer: "Original buyer" },
    ...{
      revoke: "Revoke",
      revokeLead: "The page then shows the certificate as no longer valid.",
      reasonLabel: "Reason",
    },
    ...{ reasonHint: "Shown on the certificate’s page. Empty: “Revoked by the store”.", reactivate: "Reactivate" },
    reactivateLead: "Makes the certificate valid again.",
    ...{ transfer: "Transfer to a new owner", transferLead: "The original buyer stays on record." },
    ...{ newName: "Name of the new owner", newEmail: "Email of the new owner", history: "History" },
    messages: "Webhook messages about this certificate",
    done: {
      ...{ revoked: "The certificate is revoked.", reactivated: "The certificate is valid again." },
      ...{ transferred: "The certificate has a new owner.", unchanged: "The certificate already has this owner." },
    },
  },
  de: {
    ...{ open: "Zertifikatsseite öffnen", order: "Bestellung", byHand: "Von Hand ausgestellt" },
    ...{ originalBuyer: "Erster Käufer", revoke: "Widerrufen" },
    ...{ revokeLead: "Die Seite zeigt das Zertifikat dann als nicht mehr gültig.", reasonLabel: "Grund" },
    reasonHint: "Steht auf der Seite des Zertifikats. Leer: „Vom Shop widerrufen“.",
    ...{ reactivate: "Reaktivieren", reactivateLead: "Macht das Zertifikat wieder gültig." },
    ...{ transfer: "Auf neuen Besitzer übertragen", transferLead: "Der erste Käufer bleibt vermerkt." },
    ...{ newName: "Name des neuen Besitzers", newEmail: "E-Mail des neuen Besitzers", history: "Verlauf" },
    messages: "Webhook-Nachrichten zu diesem Zertifikat",
    done: {
      ...{ revoked: "Das Zertifikat ist widerrufen.", reactivated: "Das Zertifikat ist wieder gültig." },
      transferred: "Das Zertifikat hat einen neuen Besitzer.",
      unchanged: "Das Zertifikat hat diesen Besitzer bereits.",
    },
  },
  fr: {
    ...{ open: "Ouvrir la page du certificat", order: "Commande", byHand: "Émis manuellement" },
    ...{ originalBuyer: "Premier acheteur", revoke: "Révoquer" },
    ...{ revokeLead: "La page indiquera que le certificat n’est plus valide.", reasonLabel: "Motif" },
    reasonHint: "Affiché sur la page du certificat. Vide : « Révoqué par la boutique ».",
    ...{ reactivate: "Réactiver", reactivateLead: "Rend le certificat à nouveau valide." },
    ...{ transfer: "Transférer à un nouveau propriétaire", transferLead: "Le premier acheteur reste enregistré." },
    ...{ newName: "Nom du nouveau propriétaire", newEmail: "E-mail du nouveau propriétaire" },
    ...{ history: "Historique", messages: "Messages webhook sur ce certificat" },
    done: {
      ...{ revoked: "Le certificat est révoqué.", reactivated: "Le certificat est à nouveau valide." },
      transferred: "Le certificat a un nouveau propriétaire.",
      unchanged: "Le certificat a déjà ce propriétaire.",
    },
  },
  es: {
    ...{ open: "Abrir la página del certificado", order: "Pedido", byHand: "Emitido a mano" },
    ...{ originalBuyer: "Comprador original", revoke: "Revocar" },
    ...{ revokeLead: "La página mostrará que el certificado ya no es válido.", reasonLabel: "Motivo" },
    reasonHint: "Aparece en la página del certificado. Vacío: «Revocado por la tienda».",
    ...{ reactivate: "Reactivar", reactivateLead: "El certificado vuelve a ser válido." },
    ...{ transfer: "Transferir a un nuevo propietario", transferLead: "El comprador original sigue registrado." },
    ...{ newName: "Nombre del nuevo propietario", newEmail: "Correo del nuevo propietario" },
    ...{ history: "Historial", messages: "Mensajes de webhook sobre este certificado" },
    done: {
      ...{ revoked: "Se ha revocado el certificado.", reactivated: "El certificado vuelve a ser válido." },
      transferred: "El certificado tiene un nuevo propietario.",
      unchanged: "El certificado ya tiene este propietario.",
    },
  },
  it: {
    ...{ open: "Apri la pagina del certificato", order: "Ordine", byHand: "Emesso a mano" },
    ...{ originalBuyer: "Primo acquirente", revoke: "Revoca" },
    ...{ revokeLead: "La pagina mostrerà che il certificato non è più valido.", reasonLabel: "Motivo" },
    reasonHint: "Appare sulla pagina del certificato. Vuoto: «Revocato dal negozio».",
    ...{ reactivate: "Riattiva", reactivateLead: "Rende di nuovo valido il certificato." },
    ...{ transfer: "Trasferisci a un nuovo proprietario", transferLead: "Il primo acquirente resta registrato." },
    ...{ newName: "Nome del nuovo proprietario", newEmail: "E-mail del nuovo proprietario" },
    ...{ history: "Cronologia", messages: "Messaggi webhook su questo certificato" },
    done: {
      ...{ revoked: "Il certificato è stato revocato.", reactivated: "Il certificato è di nuovo valido." },
      transferred: "Il certificato ha un nuovo proprietario.",
      unchanged: "Il certificato ha già questo proprietario.",
    },
  },
  pt: {
    ...{ open: "Abrir a página do certificado", order: "Pedido", byHand: "Emitido manualmente" },
    ...{ originalBuyer: "Comprador original", revoke: "Revogar" },
    ...{ revokeLead: "A página mostrará que o certificado não é mais válido.", reasonLabel: "Motivo" },
    reasonHint: "Aparece na página do certificado. Vazio: “Revogado pela loja”.",
    ...{ reactivate: "Reativar", reactivateLead: "Torna o certificado válido novamente." },
    ...{ transfer: "Transferir para um novo proprietário", transferLead: "O comprador original continua registrado." },
    ...{ newName: "Nome do novo proprietário", newEmail: "E-mail do novo proprietário" },
    ...{ history: "Histórico", messages: "Mensagens de webhook sobre este certificado" },
    done: {
      ...{ revoked: "O certificado foi revogado.", reactivated: "O certificado é válido novamente." },
      transferred: "O certificado tem um novo proprietário.",
      unchanged: "O certificado já tem esse proprietário.",
    },
  },
  nl: {
    ...{ open: "Certificaatpagina openen", order: "Bestelling", byHand: "Met de hand uitgegeven" },
    ...{ originalBuyer: "Eerste koper", revoke: "Intrekken" },
    ...{ revokeLead: "De pagina toont het certificaat dan als niet meer geldig.", reasonLabel: "Reden" },
    reasonHint: "Staat op de pagina van het certificaat. Leeg: ‘Ingetrokken door de winkel’.",
    ...{ reactivate: "Opnieuw activeren", reactivateLead: "Maakt het certificaat weer geldig." },
    ...{ transfer: "Overdragen aan een nieuwe eigenaar", transferLead: "De eerste koper blijft vastgelegd." },
    ...{ newName: "Naam van de nieuwe eigenaar", newEmail: "E-mail van de nieuwe eigenaar" },
    ...{ history: "Geschiedenis", messages: "Webhookberichten over dit certificaat" },
    done: {
      ...{ revoked: "Het certificaat is ingetrokken.", reactivated: "Het certificaat is weer geldig." },
      transferred: "Het certificaat heeft een nieuwe eigenaar.",
      unchanged: "Het certificaat heeft deze eigenaar al.",
    },
  },
  ja: {
    ...{ open: "証明書のページを開く", order: "注文", byHand: "手動で発行", originalBuyer: "最初の購入者" },
    ...{ revoke: "失効させる", revokeLead: "ページには、この証明書が無効であると表示されます。", reasonLabel: "理由" },
    reasonHint: "証明書のページに表示されます。空欄の場合：「販売店による取り消し」",
    ...{ reactivate: "再有効化", reactivateLead: "証明書を再び有効にします。" },
    ...{ transfer: "新しい所有者に譲渡", transferLead: "最初の購入者の記録は残ります。" },
    ...{ newName: "新しい所有者の氏名", newEmail: "新しい所有者のメールアドレス", history: "履歴" },
    messages: "この証明書に関するWebhookメッセージ",
    done: {
      ...{ revoked: "証明書を失効させました。", reactivated: "証明書を再び有効にしました。" },
      ...{ transferred: "証明書の所有者を変更しました。", unchanged: "すでにこの所有者の証明書です。" },
    },
  },
};
