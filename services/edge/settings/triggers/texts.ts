import type { Texts } from "../model/settings-page.ts";

interface TriggerTexts {
  readonly lead: string;
  readonly empty: string;
  readonly create: string;
  readonly url: string;
  readonly urlHint: string;
  readonly format: string;
  readonly cloudevents: string;
  readonly profile: string;
  readonly formatHint: string;
  readonly events: string;
  readonly eventsHint: string;
  readonly allEvents: string;
  readonly secret: string;
  readonly secretLead: string;
  readonly enabled: string;
  readonly failing: string;
  readonly disabled: string;
  readonly waiting: (count: string) => string;
  readonly lastDelivered: string;
  readonly failingSince: string;
  /** Why a trigger is disabled, and what to do. */
  readonly causes: Readonly<Record<"requested" | "failing" | "gone", string>>;
}

export const texts: Texts<TriggerTexts> = {
  en: {
    lead: "Sends events to your automation and mailing tools. If a tool does not accept a message, the message is sent again for up to 24 hours.",
    empty: "There is no trigger yet.",
    create: "Add trigger",
    url: "Webhook URL of the tool",
    urlHint: "Begins with https:// and is reachable from the internet.",
    format: "What is sent",
    cloudevents: "The whole certificate (CloudEvents)",
    profile: "The owner with the verification link, for mailing tools",
    formatHint: "This service does not know whether owners have agreed to receive advertising. Check this in the tool.",
    events: "Events",
    eventsHint: "If you select none, all events are sent.",
    allEvents: "All events",
    secret: "Signing secret",
    secretLead: "Enter it in the tool, which uses it to verify each message (Standard Webhooks).",
    enabled: "Enabled",
    failing: "Failing",
    disabled: "Disabled",
    waiting: (count) => `Waiting: ${count}`,
    lastDelivered: "Last delivered",
    failingSince: "Failing since",
    causes: {
      requested: "No events are sent until you enable the trigger again.",
      failing:
        "For 24 hours, no message could be delivered. Check the tool and its URL, then enable the trigger again.",
      gone: "The tool replied that this URL no longer exists (status 410). Delete the trigger and add the new URL.",
    },
  },
  de: {
    lead: "Sendet Ereignisse an Ihre Automatisierungs- und Mailing-Tools. Nimmt ein Tool eine Nachricht nicht an, wird sie 24 Stunden lang erneut gesendet.",
    empty: "Es gibt noch keinen Trigger.",
    create: "Trigger hinzufügen",
    url: "Webhook-URL des Tools",
    urlHint: "Beginnt mit https:// und ist aus dem Internet erreichbar.",
    format: "Was gesendet wird",
    cloudevents: "Das vollständige Zertifikat (CloudEvents)",
    profile: "Besitzer mit Prüflink, für Mailing-Tools",
    formatHint: "Dieser Dienst weiß nicht, ob Besitzer in Werbung eingewilligt haben. Prüfen Sie das im Tool.",
    events: "Ereignisse",
    eventsHint: "Ohne Auswahl werden alle Ereignisse gesendet.",
    allEvents: "Alle Ereignisse",
    secret: "Signaturgeheimnis",
    secretLead: "Tragen Sie es im Tool ein, das damit jede Nachricht prüft (Standard Webhooks).",
    enabled: "Aktiv",
    failing: "Fehlerhaft",
    disabled: "Deaktiviert",
    waiting: (count) => `Wartend: ${count}`,
    lastDelivered: "Zuletzt zugestellt",
    failingSince: "Fehlerhaft seit",
    causes: {
      requested: "Es werden keine Ereignisse gesendet, bis Sie den Trigger wieder aktivieren.",
      failing:
        "24 Stunden lang konnte keine Nachricht zugestellt werden. Prüfen Sie das Tool und die URL und aktivieren Sie den Trigger dann wieder.",
      gone: "Das Tool hat gemeldet, dass es diese URL nicht mehr gibt (Status 410). Löschen Sie den Trigger und fügen Sie die neue URL hinzu.",
    },
  },
  fr: {
    lead: "Envoie les événements à vos outils d’automatisation et d’e-mailing. Si un outil n’accepte pas un message, l’envoi est répété pendant 24 heures.",
    empty: "Il n’y a pas encore de déclencheur.",
    create: "Ajouter un déclencheur",
    url: "URL webhook de l’outil",
    urlHint: "Commence par https:// et est accessible depuis Internet.",
    format: "Contenu envoyé",
    cloudevents: "Le certificat complet (CloudEvents)",
    profile: "Le propriétaire avec le lien de vérification, pour l’e-mailing",
    formatHint:
      "Ce service ne sait pas si les propriétaires ont accepté de recevoir de la publicité. Vérifiez-le dans l’outil.",
    events: "Événements",
    eventsHint: "Sans sélection, tous les événements sont envoyés.",
    allEvents: "Tous les événements",
    secret: "Secret de signature",
    secretLead: "Saisissez-le dans l’outil, qui s’en sert pour vérifier chaque message (Standard Webhooks).",
    enabled: "Activé",
    failing: "En échec",
    disabled: "Désactivé",
    waiting: (count) => `En attente : ${count}`,
    lastDelivered: "Dernière livraison",
    failingSince: "En échec depuis",
    causes: {
      requested: "Aucun événement n’est envoyé tant que vous ne réactivez pas le déclencheur.",
      failing:
        "Pendant 24 heures, aucun message n’a pu être livré. Vérifiez l’outil et son URL, puis réactivez le déclencheur.",
      gone: "L’outil a répondu que cette URL n’existe plus (statut 410). Supprimez le déclencheur et ajoutez la nouvelle URL.",
    },
  },
  es: {
    lead: "Envía los eventos a sus herramientas de automatización y de correo. Si una herramienta no acepta un mensaje, se vuelve a enviar durante 24 horas.",
    empty: "Todavía no hay ningún activador.",
    create: "Añadir activador",
    url: "URL de webhook de la herramienta",
    urlHint: "Empieza por https:// y es accesible desde internet.",
    format: "Qué se envía",
    cloudevents: "El certificado completo (CloudEvents)",
    profile: "El propietario con el enlace de verificación, para correo",
    formatHint:
      "Este servicio no sabe si los propietarios han aceptado recibir publicidad. Compruébelo en la herramienta.",
    events: "Eventos",
    eventsHint: "Si no selecciona ninguno, se envían todos.",
    allEvents: "Todos los eventos",
    secret: "Secreto de firma",
    secretLead: "Introdúzcalo en la herramienta, que lo usa para comprobar cada mensaje (Standard Webhooks).",
    enabled: "Activo",
    failing: "Con errores",
    disabled: "Desactivado",
    waiting: (count) => `En espera: ${count}`,
    lastDelivered: "Última entrega",
    failingSince: "Con errores desde",
    causes: {
      requested: "No se envían eventos hasta que vuelva a activarlo.",
      failing:
        "Durante 24 horas no se ha podido entregar ningún mensaje. Revise la herramienta y su URL y vuelva a activarlo.",
      gone: "La herramienta ha respondido que esta URL ya no existe (estado 410). Elimine el activador y añada la nueva URL.",
    },
  },
  it: {
    lead: "Invia gli eventi ai tuoi strumenti di automazione e di mailing. Se uno strumento non accetta un messaggio, l’invio viene ripetuto fino a 24 ore.",
    empty: "Non c’è ancora nessun trigger.",
    create: "Aggiungi trigger",
    url: "URL webhook dello strumento",
    urlHint: "Inizia con https:// ed è raggiungibile da internet.",
    format: "Che cosa viene inviato",
    cloudevents: "Il certificato completo (CloudEvents)",
    profile: "Il proprietario con il link di verifica, per il mailing",
    formatHint:
      "Questo servizio non sa se i proprietari hanno acconsentito a ricevere pubblicità. Verificalo nello strumento.",
    events: "Eventi",
    eventsHint: "Senza selezione vengono inviati tutti gli eventi.",
    allEvents: "Tutti gli eventi",
    secret: "Segreto di firma",
    secretLead: "Inseriscilo nello strumento, che lo usa per verificare ogni messaggio (Standard Webhooks).",
    enabled: "Attivo",
    failing: "In errore",
    disabled: "Disattivato",
    waiting: (count) => `In attesa: ${count}`,
    lastDelivered: "Ultima consegna",
    failingSince: "In errore dal",
    causes: {
      requested: "Non vengono inviati eventi finché non lo riattivi.",
      failing:
        "Per 24 ore non è stato possibile consegnare alcun messaggio. Controlla lo strumento e il suo URL, poi riattiva il trigger.",
      gone: "Lo strumento ha risposto che questo URL non esiste più (stato 410). Elimina il trigger e aggiungi il nuovo URL.",
    },
  },
  pt: {
    lead: "Envia os eventos para suas ferramentas de automação e de e-mail. Se uma ferramenta não aceitar uma mensagem, o envio é repetido por 24 horas.",
    empty: "Ainda não há nenhum gatilho.",
    create: "Adicionar gatilho",
    url: "URL de webhook da ferramenta",
    urlHint: "Começa com https:// e é acessível pela internet.",
    format: "O que é enviado",
    cloudevents: "O certificado completo (CloudEvents)",
    profile: "O proprietário com o link de verificação, para e-mail marketing",
    formatHint:
      "Este serviço não sabe se os proprietários aceitaram receber publicidade. Verifique isso na ferramenta.",
    events: "Eventos",
    eventsHint: "Sem seleção, todos os eventos são enviados.",
    allEvents: "Todos os eventos",
    secret: "Segredo de assinatura",
    secretLead: "Informe-o na ferramenta, que o usa para verificar cada mensagem (Standard Webhooks).",
    enabled: "Ativo",
    failing: "Com falhas",
    disabled: "Desativado",
    waiting: (count) => `Na fila: ${count}`,
    lastDelivered: "Última entrega",
    failingSince: "Com falhas desde",
    causes: {
      requested: "Nenhum evento é enviado até você reativar o gatilho.",
      failing:
        "Por 24 horas, nenhuma mensagem pôde ser entregue. Verifique a ferramenta e a URL e depois reative o gatilho.",
      gone: "A ferramenta respondeu que esta URL não existe mais (status 410). Exclua o gatilho e adicione a nova URL.",
    },
  },
  nl: {
    lead: "Stuurt gebeurtenissen naar je automatiserings- en mailingtools. Accepteert een tool een bericht niet, dan wordt het 24 uur lang opnieuw verzonden.",
    empty: "Er is nog geen trigger.",
    create: "Trigger toevoegen",
    url: "Webhook-URL van de tool",
    urlHint: "Begint met https:// en is bereikbaar vanaf het internet.",
    format: "Wat wordt verzonden",
    cloudevents: "Het volledige certificaat (CloudEvents)",
    profile: "De eigenaar met de verificatielink, voor mailingtools",
    formatHint:
      "Deze dienst weet niet of eigenaren toestemming hebben gegeven voor reclame. Controleer dat in de tool.",
    events: "Gebeurtenissen",
    eventsHint: "Zonder keuze worden alle gebeurtenissen verzonden.",
    allEvents: "Alle gebeurtenissen",
    secret: "Ondertekeningsgeheim",
    secretLead: "Voer het in de tool in, die er elk bericht mee controleert (Standard Webhooks).",
    enabled: "Actief",
    failing: "Mislukt",
    disabled: "Uitgeschakeld",
    waiting: (count) => `In de wachtrij: ${count}`,
    lastDelivered: "Laatst afgeleverd",
    failingSince: "Mislukt sinds",
    causes: {
      requested: "Er worden geen gebeurtenissen verzonden totdat je de trigger weer inschakelt.",
      failing:
        "24 uur lang kon geen bericht worden afgeleverd. Controleer de tool en de URL en schakel de trigger dan weer in.",
      gone: "De tool antwoordde dat deze URL niet meer bestaat (status 410). Verwijder de trigger en voeg de nieuwe URL toe.",
    },
  },
  ja: {
    lead: "自動化ツールやメール配信ツールにイベントを送信します。受信されなかったメッセージは24時間のあいだ再送されます。",
    empty: "トリガーはまだありません。",
    create: "トリガーを追加",
    url: "ツールのWebhook URL",
    urlHint: "https://で始まり、インターネットから到達できるURLを入力してください。",
    format: "送信する内容",
    cloudevents: "証明書の全情報（CloudEvents）",
    profile: "所有者と確認用リンク（メール配信ツール向け）",
    formatHint:
      "所有者が広告の受信に同意しているかどうかは、このサービスではわかりません。ツール側で確認してください。",
    events: "イベント",
    eventsHint: "選択しない場合は、すべてのイベントが送信されます。",
    allEvents: "すべてのイベント",
    secret: "署名シークレット",
    secretLead: "ツールに登録してください。ツールはこれで各メッセージを検証します（Standard Webhooks）。",
    enabled: "有効",
    failing: "エラー発生中",
    disabled: "無効",
    waiting: (count) => `送信待ち：${count}件`,
    lastDelivered: "最終送信",
    failingSince: "エラー発生",
    causes: {
      requested: "再び有効にするまで、イベントは送信されません。",
      failing: "24時間にわたってメッセージを送信できませんでした。ツールとURLを確認してから、再び有効にしてください。",
      gone: "このURLは存在しないとツールから応答がありました（ステータス410）。トリガーを削除し、新しいURLを追加してください。",
    },
  },
};
