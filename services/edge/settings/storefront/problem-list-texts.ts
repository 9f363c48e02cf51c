import type { Texts } from "../model/settings-page.ts";

interface ProblemListTexts {
  readonly title: string;
  readonly count: (count: string) => string;
  readonly show: string;
  readonly lead: string;
  readonly empty: string;
  readonly order: string;
  readonly message: string;
  readonly failed: string;
  readonly look: string;
  readonly certificates: string;
  readonly retry: string;
  readonly retryLead: string;
  readonly retried: string;
}

export const problemListTexts: Texts<ProblemListTexts> = {
  en: {
    title: "Orders and messages that need attention",
    count: (count) => `Orders and messages that need attention: ${count}`,
    show: "Show them",
    lead: "What failed, and orders that you should check, newest first.",
    empty: "Nothing needs your attention.",
    order: "Order",
    message: "Message",
    failed: "Failed",
    look: "Check",
    certificates: "Certificates of the order",
    retry: "Try again",
    retryLead: "Tries all failed orders and messages again. Messages in an unknown form stay on the list.",
    retried: "The failed orders and messages are being tried again.",
  },
  de: {
    title: "Bestellungen und Nachrichten zum Prüfen",
    count: (count) => `Zu prüfende Bestellungen und Nachrichten: ${count}`,
    show: "Ansehen",
    lead: "Was fehlgeschlagen ist, und Bestellungen, die Sie prüfen sollten; das Neueste zuerst.",
    empty: "Es gibt nichts zu prüfen.",
    order: "Bestellung",
    message: "Nachricht",
    failed: "Fehlgeschlagen",
    look: "Prüfen",
    certificates: "Zertifikate der Bestellung",
    retry: "Erneut versuchen",
    retryLead:
      "Versucht es mit allen fehlgeschlagenen Bestellungen und Nachrichten noch einmal. Nachrichten in unbekannter Form bleiben in der Liste.",
    retried: "Die fehlgeschlagenen Bestellungen und Nachrichten werden erneut bearbeitet.",
  },
  fr: {
    title: "Commandes et messages à vérifier",
    count: (count) => `Commandes et messages à vérifier : ${count}`,
    show: "Les afficher",
    lead: "Ce qui a échoué et les commandes à vérifier, du plus récent au plus ancien.",
    empty: "Il n’y a rien à vérifier.",
    order: "Commande",
    message: "Message du type",
    failed: "Échec",
    look: "À vérifier",
    certificates: "Certificats de la commande",
    retry: "Réessayer",
    retryLead:
      "Traite à nouveau toutes les commandes et tous les messages en échec. Les messages de forme inconnue restent dans la liste.",
    retried: "Les commandes et les messages en échec sont traités à nouveau.",
  },
  es: {
    title: "Pedidos y mensajes que requieren atención",
    count: (count) => `Pedidos y mensajes que requieren atención: ${count}`,
    show: "Verlos",
    lead: "Lo que ha fallado y los pedidos que debería revisar, primero lo más reciente.",
    empty: "No hay nada que revisar.",
    order: "Pedido",
    message: "Mensaje",
    failed: "Fallido",
    look: "Revisar",
    certificates: "Certificados del pedido",
    retry: "Reintentar",
    retryLead:
      "Vuelve a procesar todos los pedidos y mensajes fallidos. Los mensajes de forma desconocida permanecen en la lista.",
    retried: "Los pedidos y mensajes fallidos se están procesando de nuevo.",
  },
  it: {
    title: "Ordini e messaggi da controllare",
    count: (count) => `Ordini e messaggi da controllare: ${count}`,
    show: "Mostrali",
    lead: "Ciò che non è riuscito e gli ordini da controllare, dal più recente.",
    empty: "Non c’è nulla da controllare.",
    order: "Ordine",
    message: "Messaggio",
    failed: "Non riuscito",
    look: "Da controllare",
    certificates: "Certificati dell’ordine",
    retry: "Riprova",
    retryLead:
      "Elabora di nuovo tutti gli ordini e i messaggi non riusciti. I messaggi di forma sconosciuta restano nell’elenco.",
    retried: "Gli ordini e i messaggi non riusciti vengono elaborati di nuovo.",
  },
  pt: {
    title: "Pedidos e mensagens que requerem atenção",
    count: (count) => `Pedidos e mensagens que requerem atenção: ${count}`,
    show: "Mostrar",
    lead: "O que falhou e os pedidos que você deve conferir, do mais recente ao mais antigo.",
    empty: "Não há nada para conferir.",
    order: "Pedido",
    message: "Mensagem",
    failed: "Falhou",
    look: "Conferir",
    certificates: "Certificados do pedido",
    retry: "Tentar novamente",
    retryLead:
      "Processa novamente todos os pedidos e mensagens que falharam. As mensagens de formato desconhecido continuam na lista.",
    retried: "Os pedidos e mensagens que falharam estão sendo processados novamente.",
  },
  nl: {
    title: "Bestellingen en berichten die aandacht vragen",
    count: (count) => `Bestellingen en berichten die aandacht vragen: ${count}`,
    show: "Bekijken",
    lead: "Wat mislukt is en bestellingen die je moet controleren, het nieuwste eerst.",
    empty: "Er is niets te controleren.",
    order: "Bestelling",
    message: "Bericht",
    failed: "Mislukt",
    look: "Controleren",
    certificates: "Certificaten van de bestelling",
    retry: "Opnieuw proberen",
    retryLead:
      "Verwerkt alle mislukte bestellingen en berichten opnieuw. Berichten met een onbekende vorm blijven in de lijst.",
    retried: "De mislukte bestellingen en berichten worden opnieuw verwerkt.",
  },
  ja: {
    title: "確認が必要な注文とメッセージ",
    count: (count) => `確認が必要な注文とメッセージ：${count}件`,
    show: "表示する",
    lead: "処理に失敗したものと確認が必要な注文を、新しい順に表示します。",
    empty: "確認が必要なものはありません。",
    order: "注文",
    message: "メッセージ",
    failed: "失敗",
    look: "要確認",
    certificates: "この注文の証明書",
    retry: "再試行",
    retryLead: "失敗した注文とメッセージをすべて再処理します。形式を認識できないメッセージは一覧に残ります。",
    retried: "失敗した注文とメッセージを再処理しています。",
  },
};
