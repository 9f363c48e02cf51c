import type { Texts } from "../model/settings-page.ts";

interface KeyTexts {
  readonly lead: string;
  /** Shown while the store is on the Basic plan. */
  readonly needsPro: string;
  readonly changePlan: string;
  readonly create: string;
  readonly label: string;
  readonly labelHint: string;
  readonly tooLong: string;
  readonly empty: string;
  readonly newKey: string;
  readonly use: string;
  readonly created: string;
  readonly lastUsed: string;
  readonly neverUsed: string;
  readonly validUntil: string;
  readonly roll: string;
  readonly rollLead: string;
  readonly grace: string;
  readonly graces: Readonly<Record<"0" | "3600" | "86400" | "604800" | "2592000", string>>;
  readonly revoke: string;
  readonly revokeLead: string;
  readonly revoked: string;
}

export const texts: Texts<KeyTexts> = {
  en: {
    ...{ needsPro: "The API needs the Pro plan. On Basic, it refuses every request.", changePlan: "Change the plan" },
    lead: "With a key, your systems read certificates through the API.",
    ...{ create: "Create API key", label: "Purpose", labelHint: "Such as the system that will use the key." },
    ...{ tooLong: "Shorten the text to 100 characters.", empty: "There is no API key yet.", newKey: "New API key" },
    use: "Send it with each request, in the header Authorization: Bearer.",
    ...{ created: "Created", lastUsed: "Last used", neverUsed: "Never used", validUntil: "Works until" },
    ...{ roll: "Replace key", rollLead: "Creates a new key. The old one keeps working for the chosen time." },
    grace: "The old key keeps working for",
    graces: { "0": "Not at all", "3600": "1 hour", "86400": "1 day", "604800": "7 days", "2592000": "30 days" },
    ...{
      revoke: "Revoke key",
      revokeLead: "Systems that use the key lose access at once.",
      revoked: "The key is revoked.",
    },
  },
  de: {
    ...{
      needsPro: "Die API gibt es nur im Pro-Tarif. Im Basic-Tarif lehnt sie jede Anfrage ab.",
      changePlan: "Tarif ändern",
    },
    lead: "Mit einem Schlüssel rufen Ihre Systeme Zertifikate über die API ab.",
    ...{ create: "API-Schlüssel erstellen", label: "Zweck", labelHint: "Zum Beispiel das System, das ihn benutzt." },
    ...{ tooLong: "Kürzen Sie den Text auf 100 Zeichen.", empty: "Es gibt noch keinen API-Schlüssel." },
    newKey: "Neuer API-Schlüssel",
    use: "Senden Sie ihn mit jeder Anfrage in der Kopfzeile Authorization: Bearer.",
    ...{ created: "Erstellt", lastUsed: "Zuletzt benutzt", neverUsed: "Nie benutzt", validUntil: "Gültig bis" },
    roll: "Schlüssel ersetzen",
    rollLead: "Erstellt einen neuen Schlüssel. Der alte funktioniert für die gewählte Zeit weiter.",
    grace: "Der alte Schlüssel funktioniert noch",
    graces: { "0": "Gar nicht", "3600": "1 Stunde", "86400": "1 Tag", "604800": "7 Tage", "2592000": "30 Tage" },
    revoke: "Schlüssel widerrufen",
    revokeLead: "Systeme, die den Schlüssel benutzen, verlieren sofort den Zugriff.",
    revoked: "Der Schlüssel ist widerrufen.",
  },
  fr: {
    ...{
      needsPro: "L’API nécessite la formule Pro. Avec Basic, elle refuse toutes les requêtes.",
      changePlan: "Changer de formule",
    },
    lead: "Avec une clé, vos systèmes lisent les certificats via l’API.",
    ...{ create: "Créer une clé d’API", label: "Usage", labelHint: "Par exemple, le système qui utilisera la clé." },
    ...{ tooLong: "Raccourcissez le texte à 100 caractères.", empty: "Il n’y a pas encore de clé d’API." },
    newKey: "Nouvelle clé d’API",
    use: "Envoyez-la avec chaque requête, dans l’en-tête Authorization: Bearer.",
    ...{ created: "Créée le", lastUsed: "Dernière utilisation", neverUsed: "Jamais utilisée" },
    ...{ validUntil: "Valable jusqu’au", roll: "Remplacer la clé" },
    rollLead: "Crée une nouvelle clé. L’ancienne reste valable pendant la durée choisie.",
    grace: "L’ancienne clé reste valable",
    graces: { "0": "Pas du tout", "3600": "1 heure", "86400": "1 jour", "604800": "7 jours", "2592000": "30 jours" },
    revoke: "Révoquer la clé",
    revokeLead: "Les systèmes qui utilisent la clé perdent aussitôt l’accès.",
    revoked: "La clé est révoquée.",
  },
  es: {
    ...{
      needsPro: "La API requiere el plan Pro. Con Basic, rechaza todas las solicitudes.",
      changePlan: "Cambiar de plan",
    },
    lead: "Con una clave, sus sistemas leen los certificados a través de la API.",
    ...{ create: "Crear clave de API", label: "Uso", labelHint: "Por ejemplo, el sistema que utilizará la clave." },
    ...{ tooLong: "Acorte el texto a 100 caracteres.", empty: "Todavía no hay ninguna clave de API." },
    newKey: "Nueva clave de API",
    use: "Envíela con cada solicitud, en la cabecera Authorization: Bearer.",
    ...{ created: "Creada", lastUsed: "Último uso", neverUsed: "Nunca utilizada", validUntil: "Válida hasta" },
    ...{ roll: "Sustituir clave", rollLead: "Crea una clave nueva. La anterior sigue funcionando el tiempo elegido." },
    grace: "La clave anterior sigue funcionando",
    graces: { "0": "Nada", "3600": "1 hora", "86400": "1 día", "604800": "7 días", "2592000": "30 días" },
    revoke: "Revocar clave",
    revokeLead: "Los sistemas que utilizan la clave pierden el acceso de inmediato.",
    revoked: "Se ha revocado la clave.",
  },
  it: {
    ...{ needsPro: "L’API richiede il piano Pro. Con Basic rifiuta ogni richiesta.", changePlan: "Cambia piano" },
    lead: "Con una chiave i tuoi sistemi leggono i certificati tramite l’API.",
    ...{ create: "Crea chiave API", label: "Scopo", labelHint: "Per esempio il sistema che userà la chiave." },
    ...{ tooLong: "Accorcia il testo a 100 caratteri.", empty: "Non c’è ancora nessuna chiave API." },
    newKey: "Nuova chiave API",
    use: "Inviala con ogni richiesta, nell’intestazione Authorization: Bearer.",
    ...{ created: "Creata il", lastUsed: "Ultimo uso", neverUsed: "Mai usata", validUntil: "Valida fino al" },
    ...{ roll: "Sostituisci chiave", rollLead: "Crea una nuova chiave. La vecchia resta valida per il tempo scelto." },
    grace: "La vecchia chiave resta valida",
    graces: { "0": "Per niente", "3600": "1 ora", "86400": "1 giorno", "604800": "7 giorni", "2592000": "30 giorni" },
    revoke: "Revoca chiave",
    revokeLead: "I sistemi che usano la chiave perdono subito l’accesso.",
    revoked: "La chiave è stata revocata.",
  },
  pt: {
    ...{
      needsPro: "A API exige o plano Pro. No Basic, ela recusa todas as requisições.",
      changePlan: "Mudar de plano",
    },
    lead: "Com uma chave, seus sistemas leem os certificados pela API.",
    ...{ create: "Criar chave de API", label: "Finalidade", labelHint: "Por exemplo, o sistema que usará a chave." },
    ...{ tooLong: "Reduza o texto para 100 caracteres.", empty: "Ainda não há nenhuma chave de API." },
    newKey: "Nova chave de API",
    use: "Envie-a com cada requisição, no cabeçalho Authorization: Bearer.",
    ...{ created: "Criada em", lastUsed: "Último uso", neverUsed: "Nunca usada", validUntil: "Válida até" },
    ...{
      roll: "Substituir chave",
      rollLead: "Cria uma nova chave. A antiga continua funcionando pelo tempo escolhido.",
    },
    grace: "A chave antiga continua funcionando",
    graces: { "0": "Não", "3600": "1 hora", "86400": "1 dia", "604800": "7 dias", "2592000": "30 dias" },
    revoke: "Revogar chave",
    revokeLead: "Os sistemas que usam a chave perdem o acesso imediatamente.",
    revoked: "A chave foi revogada.",
  },
  nl: {
    ...{
      needsPro: "Voor de API is het Pro-abonnement nodig. Met Basic weigert de API elk verzoek.",
      changePlan: "Abonnement wijzigen",
    },
    lead: "Met een sleutel lezen je systemen certificaten via de API.",
    ...{ create: "API-sleutel maken", label: "Doel", labelHint: "Bijvoorbeeld het systeem dat de sleutel gebruikt." },
    ...{ tooLong: "Kort de tekst in tot 100 tekens.", empty: "Er is nog geen API-sleutel." },
    newKey: "Nieuwe API-sleutel",
    use: "Stuur hem met elk verzoek mee in de header Authorization: Bearer.",
    ...{ created: "Gemaakt op", lastUsed: "Laatst gebruikt", neverUsed: "Nooit gebruikt", validUntil: "Werkt tot" },
    ...{ roll: "Sleutel vervangen", rollLead: "Maakt een nieuwe sleutel. De oude blijft werken zolang je kiest." },
    grace: "De oude sleutel blijft werken",
    graces: { "0": "Niet", "3600": "1 uur", "86400": "1 dag", "604800": "7 dagen", "2592000": "30 dagen" },
    revoke: "Sleutel intrekken",
    revokeLead: "Systemen die de sleutel gebruiken, verliezen direct toegang.",
    revoked: "De sleutel is ingetrokken.",
  },
  ja: {
    ...{
      needsPro: "APIを使うにはProプランが必要です。Basicプランでは、すべてのリクエストが拒否されます。",
      changePlan: "プランを変更",
    },
    lead: "キーを使うと、お使いのシステムからAPIで証明書を取得できます。",
    ...{ create: "APIキーを作成", label: "用途", labelHint: "例：このキーを使うシステムの名前" },
    ...{ tooLong: "100文字以内で入力してください。", empty: "APIキーはまだありません。", newKey: "新しいAPIキー" },
    use: "各リクエストのAuthorization: Bearerヘッダーに指定してください。",
    ...{ created: "作成日時", lastUsed: "最終使用", neverUsed: "未使用", validUntil: "有効期限" },
    ...{ roll: "キーを交換", rollLead: "新しいキーを作成します。古いキーは選択した期間だけ引き続き使えます。" },
    grace: "古いキーの有効期間",
    graces: { "0": "すぐに無効", "3600": "1時間", "86400": "1日", "604800": "7日", "2592000": "30日" },
    revoke: "キーを取り消す",
    revokeLead: "このキーを使うシステムは、すぐにアクセスできなくなります。",
    revoked: "キーを取り消しました。",
  },
};
