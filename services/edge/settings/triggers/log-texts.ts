import type { Texts } from "../model/settings-page.ts";

interface LogTexts {
  readonly log: string;
  readonly lead: string;
  readonly empty: string;
  readonly states: Readonly<Record<"waiting" | "delivered" | "given_up" | "skipped", string>>;
  readonly attempts: (count: string) => string;
  readonly nextAttempt: string;
  readonly lastAttempt: string;
  readonly details: string;
  readonly reason: string;
  readonly reply: string;
}

export const logTexts: Texts<LogTexts> = {
  en: {
    log: "Event log",
    lead: "The events of the last few weeks, newest first.",
    empty: "There are no events.",
    states: { waiting: "Waiting", delivered: "Delivered", given_up: "Given up", skipped: "Not sent" },
    attempts: (count) => `Attempts: ${count}`,
    nextAttempt: "Next attempt",
    lastAttempt: "Last attempt",
    details: "Details",
    reason: "Reason",
    reply: "Beginning of the reply",
  },
  de: {
    log: "Ereignisprotokoll",
    lead: "Die Ereignisse der letzten Wochen, die neuesten zuerst.",
    empty: "Es gibt keine Ereignisse.",
    states: { waiting: "Wartet", delivered: "Zugestellt", given_up: "Aufgegeben", skipped: "Nicht gesendet" },
    attempts: (count) => `Versuche: ${count}`,
    nextAttempt: "Nächster Versuch",
    lastAttempt: "Letzter Versuch",
    details: "Einzelheiten",
    reason: "Grund",
    reply: "Anfang der Antwort",
  },
  fr: {
    log: "Journal des événements",
    lead: "Les événements des dernières semaines, du plus récent au plus ancien.",
    empty: "Il n’y a aucun événement.",
    states: { waiting: "En attente", delivered: "Livré", given_up: "Abandonné", skipped: "Non envoyé" },
    attempts: (count) => `Tentatives : ${count}`,
    nextAttempt: "Prochaine tentative",
    lastAttempt: "Dernière tentative",
    details: "Détails",
    reason: "Motif",
    reply: "Début de la réponse",
  },
  es: {
    log: "Registro de eventos",
    lead: "Los eventos de las últimas semanas, primero los más recientes.",
    empty: "No hay eventos.",
    states: { waiting: "En espera", delivered: "Entregado", given_up: "Abandonado", skipped: "No enviado" },
    attempts: (count) => `Intentos: ${count}`,
    nextAttempt: "Próximo intento",
    lastAttempt: "Último intento",
    details: "Detalles",
    reason: "Motivo",
    reply: "Principio de la respuesta",
  },
  it: {
    log: "Registro degli eventi",
    lead: "Gli eventi delle ultime settimane, dal più recente.",
    empty: "Non ci sono eventi.",
    states: { waiting: "In attesa", delivered: "Consegnato", given_up: "Abbandonato", skipped: "Non inviato" },
    attempts: (count) => `Tentativi: ${count}`,
    nextAttempt: "Prossimo tentativo",
    lastAttempt: "Ultimo tentativo",
    details: "Dettagli",
    reason: "Motivo",
    reply: "Inizio della risposta",
  },
  pt: {
    log: "Registro de eventos",
    lead: "Os eventos das últimas semanas, do mais recente ao mais antigo.",
    empty: "Não há eventos.",
    states: { waiting: "Na fila", delivered: "Entregue", given_up: "Abandonado", skipped: "Não enviado" },
    attempts: (count) => `Tentativas: ${count}`,
    nextAttempt: "Próxima tentativa",
    lastAttempt: "Última tentativa",
    details: "Detalhes",
    reason: "Motivo",
    reply: "Início da resposta",
  },
  nl: {
    log: "Gebeurtenislogboek",
    lead: "De gebeurtenissen van de afgelopen weken, nieuwste eerst.",
    empty: "Er zijn geen gebeurtenissen.",
    states: { waiting: "Wacht", delivered: "Afgeleverd", given_up: "Opgegeven", skipped: "Niet verzonden" },
    attempts: (count) => `Pogingen: ${count}`,
    nextAttempt: "Volgende poging",
    lastAttempt: "Laatste poging",
    details: "Bijzonderheden",
    reason: "Reden",
    reply: "Begin van het antwoord",
  },
  ja: {
    log: "イベント履歴",
    lead: "過去数週間のイベントです（新しい順）。",
    empty: "イベントはありません。",
    states: { waiting: "送信待ち", delivered: "送信済み", given_up: "送信中止", skipped: "未送信" },
    attempts: (count) => `試行回数：${count}`,
    nextAttempt: "次回の送信",
    lastAttempt: "前回の送信",
    details: "詳細",
    reason: "理由",
    reply: "応答の先頭",
  },
};
