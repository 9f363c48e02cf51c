import type { Texts } from "../model/settings-page.ts";

interface OverviewTexts {
  readonly lead: string;
  readonly allGood: string;
  readonly attention: string;
  readonly api: string;
  readonly apiInUse: string;
  readonly apiUnused: string;
  readonly apiNoKey: string;
  readonly apiNoPlan: string;
  readonly lastCall: string;
  readonly never: string;
  readonly createKey: string;
  readonly manageKeys: string;
  readonly changePlan: string;
  readonly webhook: string;
  readonly webhookWorks: string;
  readonly webhookFails: string;
  readonly webhookIdle: string;
  readonly webhookMissing: string;
  readonly receiver: string;
  readonly lastDelivery: string;
  readonly reason: string;
  readonly openLog: string;
  readonly setUp: string;
  readonly unsigned: string;
  readonly reports: string;
  readonly noReports: string;
  readonly openReports: (count: string) => string;
  readonly readReports: string;
}

export const texts: Texts<OverviewTexts> = {
  en: {
    ...{ lead: "Whether your integration works, at a glance.", allGood: "Working", attention: "Needs attention" },
    ...{ api: "API", apiInUse: "Your systems read certificates." },
    ...{ apiUnused: "No system has used your API keys yet.", apiNoKey: "There is no API key yet." },
    ...{ apiNoPlan: "The API is not part of your plan.", lastCall: "Last API call", never: "Never" },
    ...{ createKey: "Create API key", manageKeys: "Manage API keys", changePlan: "Change plan" },
    ...{ webhook: "Webhook", webhookWorks: "Your receiver accepts messages." },
    ...{ webhookFails: "Your receiver did not accept the last message." },
    ...{ webhookIdle: "No message has been sent yet.", webhookMissing: "No webhook is set up." },
    ...{ receiver: "Receiver", lastDelivery: "Last message", reason: "Reason", openLog: "Open delivery log" },
    ...{ setUp: "Set up webhook" },
    ...{ unsigned: "Messages are not signed. Create a signing secret so that your receiver can verify them." },
    ...{ reports: "Problem reports", noReports: "No open reports." },
    ...{ openReports: (count) => `Open reports: ${count}`, readReports: "Read reports" },
  },
  de: {
    ...{ lead: "Ob Ihre Anbindung funktioniert, auf einen Blick.", allGood: "Funktioniert" },
    ...{ attention: "Bitte prüfen", api: "API", apiInUse: "Ihre Systeme rufen Zertifikate ab." },
    ...{ apiUnused: "Noch kein System hat Ihre API-Schlüssel benutzt." },
    ...{ apiNoKey: "Es gibt noch keinen API-Schlüssel.", apiNoPlan: "Die API ist in Ihrem Tarif nicht enthalten." },
    ...{ lastCall: "Letzter API-Aufruf", never: "Noch nie", createKey: "API-Schlüssel erstellen" },
    ...{ manageKeys: "API-Schlüssel verwalten", changePlan: "Tarif ändern", webhook: "Webhook" },
    ...{ webhookWorks: "Ihr Empfänger nimmt Nachrichten an." },
    ...{ webhookFails: "Ihr Empfänger hat die letzte Nachricht nicht angenommen." },
    ...{ webhookIdle: "Es wurde noch keine Nachricht gesendet." },
    ...{ webhookMissing: "Es ist kein Webhook eingerichtet.", receiver: "Empfänger" },
    ...{ lastDelivery: "Letzte Nachricht", reason: "Grund", openLog: "Zustellungen ansehen" },
    ...{ setUp: "Webhook einrichten" },
    ...{
      unsigned:
        "Die Nachrichten sind nicht signiert. Erstellen Sie ein Signaturgeheimnis, damit Ihr Empfänger sie prüfen kann.",
    },
    ...{ reports: "Problemmeldungen", noReports: "Keine offenen Meldungen." },
    ...{ openReports: (count) => `Offene Meldungen: ${count}`, readReports: "Meldungen lesen" },
  },
  fr: {
    ...{ lead: "L’état de votre intégration en un coup d’œil.", allGood: "Fonctionne", attention: "À vérifier" },
    ...{ api: "API", apiInUse: "Vos systèmes lisent les certificats." },
    ...{ apiUnused: "Aucun système n’a encore utilisé vos clés d’API." },
    ...{ apiNoKey: "Il n’y a pas encore de clé d’API.", apiNoPlan: "L’API n’est pas comprise dans votre formule." },
    ...{ lastCall: "Dernier appel à l’API", never: "Jamais", createKey: "Créer une clé d’API" },
    ...{ manageKeys: "Gérer les clés d’API", changePlan: "Changer de formule", webhook: "Webhook" },
    ...{ webhookWorks: "Votre récepteur accepte les messages." },
    ...{ webhookFails: "Votre récepteur n’a pas accepté le dernier message." },
    ...{ webhookIdle: "Aucun message n’a encore été envoyé.", webhookMissing: "Aucun webhook n’est configuré." },
    ...{ receiver: "Récepteur", lastDelivery: "Dernier message", reason: "Motif" },
    ...{ openLog: "Ouvrir le journal des envois", setUp: "Configurer le webhook" },
    ...{
      unsigned:
        "Les messages ne sont pas signés. Créez un secret de signature pour que votre récepteur puisse les vérifier.",
    },
    ...{ reports: "Signalements", noReports: "Aucun signalement ouvert." },
    ...{ openReports: (count) => `Signalements ouverts : ${count}`, readReports: "Lire les signalements" },
  },
  es: {
    ...{ lead: "El estado de su integración, de un vistazo.", allGood: "Funciona", attention: "Requiere atención" },
    ...{ api: "API", apiInUse: "Sus sistemas leen los certificados." },
    ...{ apiUnused: "Ningún sistema ha utilizado aún sus claves de API." },
    ...{ apiNoKey: "Todavía no hay ninguna clave de API.", apiNoPlan: "Su plan no incluye la API." },
    ...{ lastCall: "Última llamada a la API", never: "Nunca", createKey: "Crear clave de API" },
    ...{ manageKeys: "Gestionar claves de API", changePlan: "Cambiar de plan", webhook: "Webhook" },
    ...{ webhookWorks: "Su receptor acepta los mensajes." },
    ...{ webhookFails: "Su receptor no ha aceptado el último mensaje." },
    ...{ webhookIdle: "Todavía no se ha enviado ningún mensaje." },
    ...{ webhookMissing: "No hay ningún webhook configurado.", receiver: "Receptor" },
    ...{ lastDelivery: "Último mensaje", reason: "Motivo", openLog: "Abrir el registro de envíos" },
    ...{ setUp: "Configurar webhook" },
    ...{
      unsigned: "Los mensajes no están firmados. Cree un secreto de firma para que su receptor pueda verificarlos.",
    },
    ...{ reports: "Avisos de problemas", noReports: "No hay avisos abiertos." },
    ...{ openReports: (count) => `Avisos abiertos: ${count}`, readReports: "Leer avisos" },
  },
  it: {
    ...{ lead: "Lo stato della tua integrazione a colpo d’occhio.", allGood: "Funziona" },
    ...{ attention: "Da controllare", api: "API", apiInUse: "I tuoi sistemi leggono i certificati." },
    ...{ apiUnused: "Nessun sistema ha ancora usato le tue chiavi API." },
    ...{ apiNoKey: "Non c’è ancora nessuna chiave API.", apiNoPlan: "L’API non è inclusa nel tuo piano." },
    ...{ lastCall: "Ultima chiamata API", never: "Mai", createKey: "Crea chiave API" },
    ...{ manageKeys: "Gestisci le chiavi API", changePlan: "Cambia piano", webhook: "Webhook" },
    ...{ webhookWorks: "Il tuo ricevitore accetta i messaggi." },
    ...{ webhookFails: "Il tuo ricevitore non ha accettato l’ultimo messaggio." },
    ...{ webhookIdle: "Non è ancora stato inviato nessun messaggio." },
    ...{ webhookMissing: "Nessun webhook configurato.", receiver: "Ricevitore", lastDelivery: "Ultimo messaggio" },
    ...{ reason: "Motivo", openLog: "Apri il registro degli invii", setUp: "Configura il webhook" },
    ...{ unsigned: "I messaggi non sono firmati. Crea un segreto di firma perché il ricevitore possa verificarli." },
    ...{ reports: "Segnalazioni", noReports: "Nessuna segnalazione aperta." },
    ...{ openReports: (count) => `Segnalazioni aperte: ${count}`, readReports: "Leggi le segnalazioni" },
  },
  pt: {
    ...{ lead: "O estado da sua integração em um relance.", allGood: "Funcionando", attention: "Requer atenção" },
    ...{ api: "API", apiInUse: "Seus sistemas leem os certificados." },
    ...{ apiUnused: "Nenhum sistema usou suas chaves de API ainda." },
    ...{ apiNoKey: "Ainda não há nenhuma chave de API.", apiNoPlan: "A API não está incluída no seu plano." },
    ...{ lastCall: "Última chamada à API", never: "Nunca", createKey: "Criar chave de API" },
    ...{ manageKeys: "Gerenciar chaves de API", changePlan: "Mudar de plano", webhook: "Webhook" },
    ...{ webhookWorks: "Seu receptor aceita as mensagens." },
    ...{ webhookFails: "Seu receptor não aceitou a última mensagem." },
    ...{ webhookIdle: "Nenhuma mensagem foi enviada ainda.", webhookMissing: "Nenhum webhook configurado." },
    ...{ receiver: "Receptor", lastDelivery: "Última mensagem", reason: "Motivo" },
    ...{ openLog: "Abrir o registro de envios", setUp: "Configurar webhook" },
    ...{
      unsigned:
        "As mensagens não são assinadas. Crie um segredo de assinatura para que seu receptor possa verificá-las.",
    },
    ...{ reports: "Relatos de problemas", noReports: "Nenhum relato aberto." },
    ...{ openReports: (count) => `Relatos abertos: ${count}`, readReports: "Ler relatos" },
  },
  nl: {
    ...{ lead: "In één oogopslag zien of je koppeling werkt.", allGood: "Werkt", attention: "Vraagt aandacht" },
    ...{ api: "API", apiInUse: "Je systemen lezen certificaten." },
    ...{ apiUnused: "Nog geen systeem heeft je API-sleutels gebruikt.", apiNoKey: "Er is nog geen API-sleutel." },
    ...{ apiNoPlan: "De API zit niet in je abonnement.", lastCall: "Laatste API-aanroep", never: "Nooit" },
    ...{ createKey: "API-sleutel maken", manageKeys: "API-sleutels beheren", changePlan: "Abonnement wijzigen" },
    ...{ webhook: "Webhook", webhookWorks: "Je ontvanger accepteert berichten." },
    ...{ webhookFails: "Je ontvanger heeft het laatste bericht niet geaccepteerd." },
    ...{ webhookIdle: "Er is nog geen bericht verzonden.", webhookMissing: "Er is geen webhook ingesteld." },
    ...{ receiver: "Ontvanger", lastDelivery: "Laatste bericht", reason: "Reden" },
    ...{ openLog: "Verzendlogboek openen", setUp: "Webhook instellen" },
    ...{
      unsigned:
        "Berichten worden niet ondertekend. Maak een ondertekeningsgeheim zodat je ontvanger ze kan controleren.",
    },
    ...{ reports: "Meldingen", noReports: "Geen open meldingen." },
    ...{ openReports: (count) => `Open meldingen: ${count}`, readReports: "Meldingen lezen" },
  },
  ja: {
    ...{ lead: "連携の状態をひと目で確認できます。", allGood: "正常", attention: "要確認", api: "API" },
    ...{
      apiInUse: "お使いのシステムが証明書を取得しています。",
      apiUnused: "APIキーはまだ使用されていません。",
      apiNoKey: "APIキーがまだありません。",
    },
    ...{
      apiNoPlan: "現在のプランではAPIをご利用いただけません。",
      lastCall: "最後のAPI呼び出し",
      never: "なし",
      createKey: "APIキーを作成",
    },
    ...{
      manageKeys: "APIキーを管理",
      changePlan: "プランを変更",
      webhook: "Webhook",
      webhookWorks: "受信側はメッセージを受け付けています。",
    },
    ...{
      webhookFails: "受信側が最後のメッセージを受け付けませんでした。",
      webhookIdle: "メッセージはまだ送信されていません。",
    },
    ...{
      webhookMissing: "Webhookが設定されていません。",
      receiver: "受信側",
      lastDelivery: "最後のメッセージ",
      reason: "理由",
    },
    ...{
      openLog: "送信履歴を開く",
      setUp: "Webhookを設定",
      unsigned: "メッセージは署名されていません。受信側で検証できるよう、署名シークレットを作成してください。",
    },
    ...{
      reports: "問題の報告",
      noReports: "未対応の報告はありません。",
      openReports: (count) => `未対応の報告：${count}件`,
    },
    ...{ readReports: "報告を読む" },
  },
};
