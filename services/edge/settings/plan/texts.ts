import type { Texts } from "../model/settings-page.ts";

interface PlanTexts {
  readonly lead: string;
  readonly current: string;
  readonly basic: string;
  readonly pro: string;
  readonly toPro: string;
  readonly toBasic: string;
  readonly toBasicLead: string;
  readonly changed: string;
}

export const texts: Texts<PlanTexts> = {
  en: {
    lead: "The Pro plan includes access to the API. Webhooks and certificate pages work on every plan.",
    current: "Your plan",
    basic: "Basic: without the API",
    pro: "Pro: with the API",
    toPro: "Change to Pro",
    toBasic: "Change to Basic",
    toBasicLead: "Your API keys stop working at once. They work again when you return to Pro.",
    changed: "The plan has been changed. The change takes effect with the next API request.",
  },
  de: {
    lead: "Der Pro-Tarif enthält den Zugang zur API. Webhooks und Zertifikatsseiten gibt es in jedem Tarif.",
    current: "Ihr Tarif",
    basic: "Basic: ohne API",
    pro: "Pro: mit API",
    toPro: "Zu Pro wechseln",
    toBasic: "Zu Basic wechseln",
    toBasicLead: "Ihre API-Schlüssel funktionieren ab sofort nicht mehr – bis Sie zu Pro zurückkehren.",
    changed: "Der Tarif ist geändert. Er gilt ab der nächsten API-Anfrage.",
  },
  fr: {
    lead: "La formule Pro comprend l’accès à l’API. Les webhooks et les pages de certificat fonctionnent dans toutes les formules.",
    current: "Votre formule",
    basic: "Basic : sans l’API",
    pro: "Pro : avec l’API",
    toPro: "Passer à Pro",
    toBasic: "Passer à Basic",
    toBasicLead: "Vos clés d’API cessent aussitôt de fonctionner, jusqu’à votre retour à Pro.",
    changed: "La formule est modifiée. Elle s’applique dès la prochaine requête.",
  },
  es: {
    lead: "El plan Pro incluye el acceso a la API. Los webhooks y las páginas de certificado funcionan en todos los planes.",
    current: "Su plan",
    basic: "Basic: sin la API",
    pro: "Pro: con la API",
    toPro: "Cambiar a Pro",
    toBasic: "Cambiar a Basic",
    toBasicLead: "Sus claves de API dejan de funcionar de inmediato, hasta que vuelva a Pro.",
    changed: "Se ha cambiado el plan. Se aplica desde la próxima solicitud.",
  },
  it: {
    lead: "Il piano Pro include l’accesso all’API. Webhook e pagine dei certificati funzionano con ogni piano.",
    current: "Il tuo piano",
    basic: "Basic: senza API",
    pro: "Pro: con API",
    toPro: "Passa a Pro",
    toBasic: "Passa a Basic",
    toBasicLead: "Le tue chiavi API smettono subito di funzionare, finché non torni a Pro.",
    changed: "Il piano è stato cambiato. Vale dalla prossima richiesta.",
  },
  pt: {
    lead: "O plano Pro inclui o acesso à API. Webhooks e páginas de certificado funcionam em todos os planos.",
    current: "Seu plano",
    basic: "Basic: sem a API",
    pro: "Pro: com a API",
    toPro: "Mudar para Pro",
    toBasic: "Mudar para Basic",
    toBasicLead: "Suas chaves de API param de funcionar imediatamente, até você voltar ao Pro.",
    changed: "O plano foi alterado. Vale a partir da próxima requisição.",
  },
  nl: {
    lead: "Het Pro-abonnement geeft toegang tot de API. Webhooks en certificaatpagina’s werken in elk abonnement.",
    current: "Je abonnement",
    basic: "Basic: zonder API",
    pro: "Pro: met API",
    toPro: "Overstappen op Pro",
    toBasic: "Overstappen op Basic",
    toBasicLead: "Je API-sleutels werken meteen niet meer, tot je teruggaat naar Pro.",
    changed: "Het abonnement is gewijzigd. Het geldt vanaf het volgende verzoek.",
  },
  ja: {
    lead: "ProプランではAPIをご利用いただけます。Webhookと証明書ページはすべてのプランで使えます。",
    current: "現在のプラン",
    basic: "Basic：APIなし",
    pro: "Pro：APIあり",
    toPro: "Proに変更",
    toBasic: "Basicに変更",
    toBasicLead: "APIキーはすぐに使えなくなります。Proに戻すと再び使えます。",
    changed: "プランを変更しました。次のAPIリクエストから適用されます。",
  },
};
