import type { Texts } from "../model/settings-page.ts";

interface ReportTexts {
  readonly lead: string;
  readonly openOnly: string;
  readonly all: string;
  readonly none: string;
  readonly open: string;
  readonly closed: string;
  readonly replyTo: string;
  readonly certificate: string;
  readonly close: string;
  readonly done: string;
}

export const texts: Texts<ReportTexts> = {
  en: {
    lead: "What buyers report from the pages of their certificates.",
    openOnly: "Open reports",
    all: "All reports",
    none: "No reports.",
    open: "Open",
    closed: "Closed",
    replyTo: "Reply to",
    certificate: "Certificate",
    close: "Close report",
    done: "The report is closed.",
  },
  de: {
    lead: "Was Käufer auf den Seiten ihrer Zertifikate melden.",
    openOnly: "Offene Meldungen",
    all: "Alle Meldungen",
    none: "Keine Meldungen.",
    open: "Offen",
    closed: "Erledigt",
    replyTo: "Antwort an",
    certificate: "Zertifikat",
    close: "Als erledigt markieren",
    done: "Die Meldung ist erledigt.",
  },
  fr: {
    lead: "Ce que les acheteurs signalent depuis les pages de leurs certificats.",
    openOnly: "Signalements ouverts",
    all: "Tous les signalements",
    none: "Aucun signalement.",
    open: "Ouvert",
    closed: "Clos",
    replyTo: "Répondre à",
    certificate: "Certificat",
    close: "Clore le signalement",
    done: "Le signalement est clos.",
  },
  es: {
    lead: "Lo que los compradores notifican desde las páginas de sus certificados.",
    openOnly: "Avisos abiertos",
    all: "Todos los avisos",
    none: "No hay avisos.",
    open: "Abierto",
    closed: "Cerrado",
    replyTo: "Responder a",
    certificate: "Certificado",
    close: "Cerrar aviso",
    done: "Se ha cerrado el aviso.",
  },
  it: {
    lead: "Ciò che gli acquirenti segnalano dalle pagine dei loro certificati.",
    openOnly: "Segnalazioni aperte",
    all: "Tutte le segnalazioni",
    none: "Nessuna segnalazione.",
    open: "Aperta",
    closed: "Chiusa",
    replyTo: "Rispondi a",
    certificate: "Certificato",
    close: "Chiudi segnalazione",
    done: "La segnalazione è chiusa.",
  },
  pt: {
    lead: "O que os compradores relatam nas páginas de seus certificados.",
    openOnly: "Relatos abertos",
    all: "Todos os relatos",
    none: "Nenhum relato.",
    open: "Aberto",
    closed: "Encerrado",
    replyTo: "Responder a",
    certificate: "Certificado",
    close: "Encerrar relato",
    done: "O relato foi encerrado.",
  },
  nl: {
    lead: "Wat kopers melden vanaf de pagina’s van hun certificaten.",
    openOnly: "Open meldingen",
    all: "Alle meldingen",
    none: "Geen meldingen.",
    open: "Open",
    closed: "Afgehandeld",
    replyTo: "Antwoorden aan",
    certificate: "Certificaat",
    close: "Melding afhandelen",
    done: "De melding is afgehandeld.",
  },
  ja: {
    lead: "購入者が証明書のページから送信した報告です。",
    openOnly: "未対応の報告",
    all: "すべての報告",
    none: "報告はありません。",
    open: "未対応",
    closed: "対応済み",
    replyTo: "返信先",
    certificate: "証明書",
    close: "対応済みにする",
    done: "報告を対応済みにしました。",
  },
};
