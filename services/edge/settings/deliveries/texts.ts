import type { Texts } from "../model/settings-page.ts";

interface DeliveryTexts {
  readonly lead: string;
  readonly outcome: string;
  readonly all: string;
  readonly since: string;
  readonly until: string;
  readonly id: string;
  readonly filter: string;
  readonly empty: string;
  readonly waiting: string;
  readonly details: string;
  readonly reason: string;
  readonly status: string;
  readonly duration: string;
  readonly address: string;
  readonly requestedBy: string;
  readonly reply: string;
  readonly again: string;
  readonly againLead: string;
  readonly certificate: string;
}

export const texts: Texts<DeliveryTexts> = {
  en: {
    lead: "Newest first. Each message is sent once and never repeated automatically.",
    ...{
      outcome: "Result",
      all: "All results",
      since: "From (UTC)",
      until: "Until (UTC)",
      id: "Message or certificate ID",
    },
    ...{ filter: "Filter", empty: "No messages match.", waiting: "The message is about to be sent. Reload the page." },
    ...{ details: "Details", reason: "Reason", status: "HTTP status", duration: "Duration", address: "Address" },
    ...{ requestedBy: "Sent by hand by", reply: "Reply of the receiver", again: "Send again" },
    againLead: "Sends a new message with its own ID and the current state of the certificate, once.",
    certificate: "Certificate",
  },
  de: {
    lead: "Neueste zuerst. Jede Nachricht wird einmal gesendet und nicht von selbst wiederholt.",
    ...{
      outcome: "Ergebnis",
      all: "Alle Ergebnisse",
      since: "Von (UTC)",
      until: "Bis (UTC)",
      id: "Nachrichten- oder Zertifikats-ID",
    },
    ...{ filter: "Filtern", empty: "Keine passenden Nachrichten." },
    waiting: "Die Nachricht wird gleich gesendet. Laden Sie die Seite neu.",
    ...{ details: "Einzelheiten", reason: "Grund", status: "HTTP-Status", duration: "Dauer", address: "Adresse" },
    ...{ requestedBy: "Von Hand gesendet von", reply: "Antwort des Empfängers", again: "Erneut senden" },
    againLead: "Sendet einmal eine neue Nachricht mit eigener ID und dem jetzigen Stand des Zertifikats.",
    certificate: "Zertifikat",
  },
  fr: {
    lead: "Les plus récents en premier. Chaque message est envoyé une fois et n’est pas répété automatiquement.",
    ...{ outcome: "Résultat", all: "Tous les résultats", since: "Du (UTC)", until: "Au (UTC)" },
    ...{ id: "ID du message ou du certificat", filter: "Filtrer", empty: "Aucun message ne correspond." },
    waiting: "Le message va être envoyé. Rechargez la page.",
    ...{ details: "Détails", reason: "Motif", status: "Statut HTTP", duration: "Durée", address: "Adresse IP" },
    ...{ requestedBy: "Envoyé manuellement par", reply: "Réponse du récepteur", again: "Renvoyer" },
    againLead: "Envoie une fois un nouveau message, avec son propre ID et l’état actuel du certificat.",
    certificate: "Certificat",
  },
  es: {
    lead: "Los más recientes primero. Cada mensaje se envía una vez y no se repite automáticamente.",
    ...{ outcome: "Resultado", all: "Todos los resultados", since: "Desde (UTC)", until: "Hasta (UTC)" },
    ...{ id: "ID del mensaje o del certificado", filter: "Filtrar", empty: "Ningún mensaje coincide." },
    waiting: "El mensaje está a punto de enviarse. Recargue la página.",
    ...{ details: "Detalles", reason: "Motivo", status: "Estado HTTP", duration: "Duración", address: "Dirección" },
    ...{ requestedBy: "Enviado manualmente por", reply: "Respuesta del receptor", again: "Enviar de nuevo" },
    againLead: "Envía una vez un mensaje nuevo, con su propio ID y el estado actual del certificado.",
    certificate: "Certificado",
  },
  it: {
    lead: "Prima i più recenti. Ogni messaggio viene inviato una volta e non si ripete da solo.",
    ...{ outcome: "Esito", all: "Tutti gli esiti", since: "Dal (UTC)", until: "Al (UTC)" },
    ...{ id: "ID del messaggio o del certificato", filter: "Filtra", empty: "Nessun messaggio corrisponde." },
    waiting: "Il messaggio sta per essere inviato. Ricarica la pagina.",
    ...{ details: "Dettagli", reason: "Motivo", status: "Stato HTTP", duration: "Durata", address: "Indirizzo" },
    ...{ requestedBy: "Inviato manualmente da", reply: "Risposta del ricevitore", again: "Invia di nuovo" },
    againLead: "Invia una volta un nuovo messaggio, con un proprio ID e lo stato attuale del certificato.",
    certificate: "Certificato",
  },
  pt: {
    lead: "As mais recentes primeiro. Cada mensagem é enviada uma vez e não se repete sozinha.",
    ...{ outcome: "Resultado", all: "Todos os resultados", since: "De (UTC)", until: "Até (UTC)" },
    ...{ id: "ID da mensagem ou do certificado", filter: "Filtrar", empty: "Nenhuma mensagem corresponde." },
    waiting: "A mensagem está prestes a ser enviada. Recarregue a página.",
    ...{ details: "Detalhes", reason: "Motivo", status: "Status HTTP", duration: "Duração", address: "Endereço" },
    ...{ requestedBy: "Enviada manualmente por", reply: "Resposta do receptor", again: "Enviar novamente" },
    againLead: "Envia uma vez uma nova mensagem, com ID próprio e o estado atual do certificado.",
    certificate: "Certificado",
  },
  nl: {
    lead: "Nieuwste eerst. Elk bericht wordt één keer verzonden en niet vanzelf herhaald.",
    ...{ outcome: "Resultaat", all: "Alle resultaten", since: "Van (UTC)", until: "Tot (UTC)" },
    ...{ id: "Bericht- of certificaat-ID", filter: "Filteren", empty: "Geen overeenkomende berichten." },
    waiting: "Het bericht wordt zo verzonden. Laad de pagina opnieuw.",
    ...{ details: "Bijzonderheden", reason: "Reden", status: "HTTP-status", duration: "Duur", address: "Adres" },
    ...{ requestedBy: "Handmatig verzonden door", reply: "Antwoord van de ontvanger", again: "Opnieuw versturen" },
    againLead: "Verstuurt één keer een nieuw bericht, met een eigen ID en de huidige stand van het certificaat.",
    certificate: "Certificaat",
  },
  ja: {
    lead: "新しい順に表示しています。各メッセージは一度だけ送信され、自動的に再送されることはありません。",
    ...{
      outcome: "結果",
      all: "すべての結果",
      since: "開始日（UTC）",
      until: "終了日（UTC）",
      id: "メッセージまたは証明書のID",
    },
    ...{ filter: "絞り込む", empty: "該当するメッセージはありません。" },
    waiting: "メッセージはまもなく送信されます。ページを再読み込みしてください。",
    ...{ details: "詳細", reason: "理由", status: "HTTPステータス", duration: "所要時間", address: "アドレス" },
    ...{ requestedBy: "手動送信", reply: "受信側の応答", again: "再送信" },
    againLead: "証明書の現在の状態を、固有のIDを持つ新しいメッセージとして一度だけ送信します。",
    certificate: "証明書",
  },
};
