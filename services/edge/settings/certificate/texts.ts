import type { Texts } from "../model/settings-page.ts";

interface CertificateTexts {
  /** The actor of a change that a buyer made on the certificate's page. */
  readonly buyer: string;
  readonly open: string;
  readonly ownerLink: string;
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
  readonly newLink: string;
  readonly newLinkLead: string;
  readonly replaceLink: string;
  readonly linkReplaced: string;
  readonly history: string;
  readonly messages: string;
  readonly done: Readonly<Record<"revoked" | "reactivated" | "transferred" | "unchanged" | "link", string>>;
}

export const texts: Texts<CertificateTexts> = {
  en: {
    ownerLink: "Link for the owner",
    buyer: "Buyer",
    ...{ open: "Open certificate page", order: "Order", byHand: "Issued by hand", originalBuyer: "Original buyer" },
    ...{
      revoke: "Revoke",
      revokeLead: "The certificate’s page then shows it as no longer valid.",
      reasonLabel: "Reason",
    },
    ...{ reasonHint: "Shown on the certificate’s page. Empty: “Revoked by the store”.", reactivate: "Reactivate" },
    reactivateLead: "Makes the certificate valid again.",
    ...{ transfer: "Transfer to a new owner", transferLead: "The original buyer stays on record." },
    ...{ newName: "Name of the new owner", newEmail: "Email of the new owner", history: "History" },
    messages: "Webhook messages about this certificate",
    newLink: "New link",
    newLinkLead:
      "For a certificate whose link strangers know. The old link and its QR code stop working at once; send the new one to the owner.",
    replaceLink: "Replace the link",
    linkReplaced: "Link replaced",
    done: {
      link: "The certificate has a new link. The old one no longer works.",
      ...{ revoked: "The certificate is revoked.", reactivated: "The certificate is valid again." },
      ...{ transferred: "The certificate has a new owner.", unchanged: "The certificate already has this owner." },
    },
  },
  de: {
    ownerLink: "Link für den Besitzer",
    buyer: "Käufer",
    ...{ open: "Zertifikatsseite öffnen", order: "Bestellung", byHand: "Von Hand ausgestellt" },
    ...{ originalBuyer: "Erster Käufer", revoke: "Widerrufen" },
    ...{ revokeLead: "Die Seite zeigt das Zertifikat dann als nicht mehr gültig.", reasonLabel: "Grund" },
    reasonHint: "Steht auf der Seite des Zertifikats. Leer: „Vom Shop widerrufen“.",
    ...{ reactivate: "Reaktivieren", reactivateLead: "Macht das Zertifikat wieder gültig." },
    ...{ transfer: "Auf neuen Besitzer übertragen", transferLead: "Der erste Käufer bleibt vermerkt." },
    ...{ newName: "Name des neuen Besitzers", newEmail: "E-Mail des neuen Besitzers", history: "Verlauf" },
    messages: "Webhook-Nachrichten zu diesem Zertifikat",
    newLink: "Neuer Link",
    newLinkLead:
      "Für ein Zertifikat, dessen Link Fremde kennen. Der alte Link und sein QR-Code funktionieren sofort nicht mehr; schicken Sie dem Besitzer den neuen.",
    replaceLink: "Link ersetzen",
    linkReplaced: "Link ersetzt",
    done: {
      link: "Das Zertifikat hat einen neuen Link. Der alte funktioniert nicht mehr.",
      ...{ revoked: "Das Zertifikat ist widerrufen.", reactivated: "Das Zertifikat ist wieder gültig." },
      transferred: "Das Zertifikat hat einen neuen Besitzer.",
      unchanged: "Das Zertifikat hat diesen Besitzer bereits.",
    },
  },
  fr: {
    ownerLink: "Lien pour le propriétaire",
    buyer: "Acheteur",
    ...{ open: "Ouvrir la page du certificat", order: "Commande", byHand: "Émis manuellement" },
    ...{ originalBuyer: "Premier acheteur", revoke: "Révoquer" },
    ...{ revokeLead: "La page indiquera que le certificat n’est plus valide.", reasonLabel: "Motif" },
    reasonHint: "Affiché sur la page du certificat. Vide : « Révoqué par la boutique ».",
    ...{ reactivate: "Réactiver", reactivateLead: "Rend le certificat à nouveau valide." },
    ...{ transfer: "Transférer à un nouveau propriétaire", transferLead: "Le premier acheteur reste enregistré." },
    ...{ newName: "Nom du nouveau propriétaire", newEmail: "E-mail du nouveau propriétaire" },
    ...{ history: "Historique", messages: "Messages webhook sur ce certificat" },
    newLink: "Nouveau lien",
    newLinkLead:
      "Pour un certificat dont des inconnus connaissent le lien. L’ancien lien et son code QR cessent aussitôt de fonctionner ; envoyez le nouveau au propriétaire.",
    replaceLink: "Remplacer le lien",
    linkReplaced: "Lien remplacé",
    done: {
      link: "Le certificat a un nouveau lien. L’ancien ne fonctionne plus.",
      ...{ revoked: "Le certificat est révoqué.", reactivated: "Le certificat est à nouveau valide." },
      transferred: "Le certificat a un nouveau propriétaire.",
      unchanged: "Le certificat a déjà ce propriétaire.",
    },
  },
  es: {
    ownerLink: "Enlace para el propietario",
    buyer: "Comprador",
    ...{ open: "Abrir la página del certificado", order: "Pedido", byHand: "Emitido a mano" },
    ...{ originalBuyer: "Comprador original", revoke: "Revocar" },
    ...{ revokeLead: "La página mostrará que el certificado ya no es válido.", reasonLabel: "Motivo" },
    reasonHint: "Aparece en la página del certificado. Vacío: «Revocado por la tienda».",
    ...{ reactivate: "Reactivar", reactivateLead: "El certificado vuelve a ser válido." },
    ...{ transfer: "Transferir a un nuevo propietario", transferLead: "El comprador original sigue registrado." },
    ...{ newName: "Nombre del nuevo propietario", newEmail: "Correo del nuevo propietario" },
    ...{ history: "Historial", messages: "Mensajes de webhook sobre este certificado" },
    newLink: "Nuevo enlace",
    newLinkLead:
      "Para un certificado cuyo enlace conocen extraños. El enlace anterior y su código QR dejan de funcionar de inmediato; envíe el nuevo al propietario.",
    replaceLink: "Sustituir el enlace",
    linkReplaced: "Enlace sustituido",
    done: {
      link: "El certificado tiene un nuevo enlace. El anterior ya no funciona.",
      ...{ revoked: "Se ha revocado el certificado.", reactivated: "El certificado vuelve a ser válido." },
      transferred: "El certificado tiene un nuevo propietario.",
      unchanged: "El certificado ya tiene este propietario.",
    },
  },
  it: {
    ownerLink: "Link per il proprietario",
    buyer: "Acquirente",
    ...{ open: "Apri la pagina del certificato", order: "Ordine", byHand: "Emesso a mano" },
    ...{ originalBuyer: "Primo acquirente", revoke: "Revoca" },
    ...{ revokeLead: "La pagina mostrerà che il certificato non è più valido.", reasonLabel: "Motivo" },
    reasonHint: "Appare sulla pagina del certificato. Vuoto: «Revocato dal negozio».",
    ...{ reactivate: "Riattiva", reactivateLead: "Rende di nuovo valido il certificato." },
    ...{ transfer: "Trasferisci a un nuovo proprietario", transferLead: "Il primo acquirente resta registrato." },
    ...{ newName: "Nome del nuovo proprietario", newEmail: "E-mail del nuovo proprietario" },
    ...{ history: "Cronologia", messages: "Messaggi webhook su questo certificato" },
    newLink: "Nuovo link",
    newLinkLead:
      "Per un certificato il cui link è noto a estranei. Il vecchio link e il suo codice QR smettono subito di funzionare; invia quello nuovo al proprietario.",
    replaceLink: "Sostituisci il link",
    linkReplaced: "Link sostituito",
    done: {
      link: "Il certificato ha un nuovo link. Quello vecchio non funziona più.",
      ...{ revoked: "Il certificato è stato revocato.", reactivated: "Il certificato è di nuovo valido." },
      transferred: "Il certificato ha un nuovo proprietario.",
      unchanged: "Il certificato ha già questo proprietario.",
    },
  },
  pt: {
    ownerLink: "Link para o proprietário",
    buyer: "Comprador",
    ...{ open: "Abrir a página do certificado", order: "Pedido", byHand: "Emitido manualmente" },
    ...{ originalBuyer: "Comprador original", revoke: "Revogar" },
    ...{ revokeLead: "A página mostrará que o certificado não é mais válido.", reasonLabel: "Motivo" },
    reasonHint: "Aparece na página do certificado. Vazio: “Revogado pela loja”.",
    ...{ reactivate: "Reativar", reactivateLead: "Torna o certificado válido novamente." },
    ...{ transfer: "Transferir para um novo proprietário", transferLead: "O comprador original continua registrado." },
    ...{ newName: "Nome do novo proprietário", newEmail: "E-mail do novo proprietário" },
    ...{ history: "Histórico", messages: "Mensagens de webhook sobre este certificado" },
    newLink: "Novo link",
    newLinkLead:
      "Para um certificado cujo link estranhos conhecem. O link antigo e seu código QR param de funcionar imediatamente; envie o novo ao proprietário.",
    replaceLink: "Substituir o link",
    linkReplaced: "Link substituído",
    done: {
      link: "O certificado tem um novo link. O antigo não funciona mais.",
      ...{ revoked: "O certificado foi revogado.", reactivated: "O certificado é válido novamente." },
      transferred: "O certificado tem um novo proprietário.",
      unchanged: "O certificado já tem esse proprietário.",
    },
  },
  nl: {
    ownerLink: "Link voor de eigenaar",
    buyer: "Koper",
    ...{ open: "Certificaatpagina openen", order: "Bestelling", byHand: "Met de hand uitgegeven" },
    ...{ originalBuyer: "Eerste koper", revoke: "Intrekken" },
    ...{ revokeLead: "De pagina toont het certificaat dan als niet meer geldig.", reasonLabel: "Reden" },
    reasonHint: "Staat op de pagina van het certificaat. Leeg: ‘Ingetrokken door de winkel’.",
    ...{ reactivate: "Opnieuw activeren", reactivateLead: "Maakt het certificaat weer geldig." },
    ...{ transfer: "Overdragen aan een nieuwe eigenaar", transferLead: "De eerste koper blijft vastgelegd." },
    ...{ newName: "Naam van de nieuwe eigenaar", newEmail: "E-mail van de nieuwe eigenaar" },
    ...{ history: "Geschiedenis", messages: "Webhookberichten over dit certificaat" },
    newLink: "Nieuwe link",
    newLinkLead:
      "Voor een certificaat waarvan vreemden de link kennen. De oude link en de QR-code werken meteen niet meer; stuur de nieuwe naar de eigenaar.",
    replaceLink: "Link vervangen",
    linkReplaced: "Link vervangen",
    done: {
      link: "Het certificaat heeft een nieuwe link. De oude werkt niet meer.",
      ...{ revoked: "Het certificaat is ingetrokken.", reactivated: "Het certificaat is weer geldig." },
      transferred: "Het certificaat heeft een nieuwe eigenaar.",
      unchanged: "Het certificaat heeft deze eigenaar al.",
    },
  },
  ja: {
    ownerLink: "所有者用リンク",
    buyer: "購入者",
    ...{ open: "証明書のページを開く", order: "注文", byHand: "手動で発行", originalBuyer: "最初の購入者" },
    ...{ revoke: "失効させる", revokeLead: "ページには、この証明書が無効であると表示されます。", reasonLabel: "理由" },
    reasonHint: "証明書のページに表示されます。空欄の場合：「販売店による取り消し」",
    ...{ reactivate: "再有効化", reactivateLead: "証明書を再び有効にします。" },
    ...{ transfer: "新しい所有者に譲渡", transferLead: "最初の購入者の記録は残ります。" },
    ...{ newName: "新しい所有者の氏名", newEmail: "新しい所有者のメールアドレス", history: "履歴" },
    messages: "この証明書に関するWebhookメッセージ",
    newLink: "新しいリンク",
    newLinkLead:
      "リンクが第三者に知られてしまった証明書に使います。古いリンクとQRコードはすぐに使えなくなります。新しいリンクを所有者に送ってください。",
    replaceLink: "リンクを置き換える",
    linkReplaced: "リンクの置き換え",
    done: {
      link: "証明書のリンクを新しくしました。古いリンクは使えません。",
      ...{ revoked: "証明書を失効させました。", reactivated: "証明書を再び有効にしました。" },
      ...{ transferred: "証明書の所有者を変更しました。", unchanged: "すでにこの所有者の証明書です。" },
    },
  },
};
