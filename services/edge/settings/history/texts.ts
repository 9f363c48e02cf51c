import type { Texts } from "../model/settings-page.ts";

/** The kinds of administrative changes, as the registry names them. */
export const actions: readonly string[] = [
  ...["store.created", "plan.set", "settings.changed", "products.put", "key.created", "key.rolled", "key.revoked"],
  ...["report.closed", "webhook.set", "webhook.removed", "secret.rotated", "secret.resealed"],
  ...["trigger.created", "trigger.deleted", "trigger.enabled", "trigger.disabled", "trigger.secret_rotated"],
  ...["settings_link.created", "session.opened", "session.closed", "sessions.revoked"],
  ...["person.erased", "logo.set", "logo.removed", "import.started"],
  ...["storefront_rules.set", "storefront.retried"],
];

interface HistoryTexts {
  readonly lead: string;
  /** The labels of the actions, in the order of the constant `actions` above. */
  readonly actions: readonly string[];
}

export const texts: Texts<HistoryTexts> = {
  en: {
    lead: "Who changed what in this store. Changes to certificates are in the history of each certificate.",
    actions: [
      ...["Store created", "Plan changed", "Settings changed", "Products changed", "API key created"],
      ...["API key replaced", "API key revoked", "Report closed", "Webhook changed", "Webhook removed"],
      ...["Signing secret changed", "Secret re-encrypted"],
      ...["Trigger added", "Trigger deleted", "Trigger enabled", "Trigger disabled", "Trigger secret replaced"],
      ...["Sign-in link created", "Signed in", "Signed out"],
      ...["All sessions ended"],
      ...["Person erased", "Logo changed", "Logo removed", "Import started"],
      ...["Storefront rules changed", "Failed orders tried again"],
    ],
  },
  de: {
    lead: "Wer in diesem Shop was geändert hat. Änderungen an Zertifikaten stehen im Verlauf des jeweiligen Zertifikats.",
    actions: [
      ...["Shop angelegt", "Tarif geändert", "Einstellungen geändert", "Produkte geändert", "API-Schlüssel erstellt"],
      ...["API-Schlüssel ersetzt", "API-Schlüssel widerrufen", "Meldung geschlossen", "Webhook geändert"],
      ...["Webhook entfernt", "Signaturgeheimnis geändert", "Geheimnis neu verschlüsselt"],
      ...[
        "Trigger hinzugefügt",
        "Trigger gelöscht",
        "Trigger aktiviert",
        "Trigger deaktiviert",
        "Trigger-Geheimnis ersetzt",
      ],
      ...["Anmeldelink erstellt"],
      ...["Angemeldet", "Abgemeldet", "Alle Sitzungen beendet"],
      ...["Person gelöscht", "Logo geändert", "Logo entfernt", "Import gestartet"],
      ...["Regeln der Shop-Anbindung geändert", "Fehlgeschlagene Bestellungen erneut bearbeitet"],
    ],
  },
  fr: {
    lead: "Qui a modifié quoi dans cette boutique. Les modifications des certificats figurent dans l’historique de chacun.",
    actions: [
      ...["Boutique créée", "Formule modifiée", "Paramètres modifiés", "Produits modifiés", "Clé d’API créée"],
      ...["Clé d’API remplacée", "Clé d’API révoquée", "Signalement clos", "Webhook modifié", "Webhook supprimé"],
      ...["Secret de signature modifié", "Secret chiffré à nouveau"],
      ...[
        "Déclencheur ajouté",
        "Déclencheur supprimé",
        "Déclencheur activé",
        "Déclencheur désactivé",
        "Secret du déclencheur remplacé",
      ],
      ...["Lien de connexion créé", "Connexion"],
      ...["Déconnexion", "Toutes les sessions terminées"],
      ...["Personne effacée", "Logo modifié", "Logo supprimé", "Importation lancée"],
      ...["Règles de la boutique modifiées", "Commandes en échec traitées à nouveau"],
    ],
  },
  es: {
    lead: "Quién ha cambiado qué en esta tienda. Los cambios de los certificados figuran en el historial de cada uno.",
    actions: [
      ...["Tienda creada", "Plan cambiado", "Configuración cambiada", "Productos cambiados", "Clave de API creada"],
      ...["Clave de API sustituida", "Clave de API revocada", "Aviso cerrado", "Webhook cambiado"],
      ...["Webhook eliminado", "Secreto de firma cambiado", "Secreto cifrado de nuevo"],
      ...[
        "Activador añadido",
        "Activador eliminado",
        "Activador activado",
        "Activador desactivado",
        "Secreto del activador sustituido",
      ],
      ...["Enlace de acceso creado"],
      ...["Inicio de sesión", "Cierre de sesión", "Todas las sesiones finalizadas"],
      ...["Persona eliminada", "Logotipo cambiado", "Logotipo quitado", "Importación iniciada"],
      ...["Reglas de la tienda cambiadas", "Pedidos fallidos procesados de nuevo"],
    ],
  },
  it: {
    lead: "Chi ha modificato che cosa in questo negozio. Le modifiche ai certificati sono nella cronologia di ciascuno.",
    actions: [
      ...["Negozio creato", "Piano cambiato", "Impostazioni cambiate", "Prodotti cambiati", "Chiave API creata"],
      ...["Chiave API sostituita", "Chiave API revocata", "Segnalazione chiusa", "Webhook cambiato"],
      ...["Webhook rimosso", "Segreto di firma cambiato", "Segreto cifrato di nuovo"],
      ...[
        "Trigger aggiunto",
        "Trigger eliminato",
        "Trigger attivato",
        "Trigger disattivato",
        "Segreto del trigger sostituito",
      ],
      ...["Link di accesso creato"],
      ...["Accesso", "Uscita", "Tutte le sessioni terminate"],
      ...["Persona cancellata", "Logo modificato", "Logo rimosso", "Importazione avviata"],
      ...["Regole del negozio modificate", "Ordini non riusciti elaborati di nuovo"],
    ],
  },
  pt: {
    lead: "Quem alterou o quê nesta loja. As alterações dos certificados estão no histórico de cada um.",
    actions: [
      ...["Loja criada", "Plano alterado", "Configurações alteradas", "Produtos alterados", "Chave de API criada"],
      ...["Chave de API substituída", "Chave de API revogada", "Relato encerrado", "Webhook alterado"],
      ...["Webhook removido", "Segredo de assinatura alterado", "Segredo criptografado de novo"],
      ...[
        "Gatilho adicionado",
        "Gatilho excluído",
        "Gatilho ativado",
        "Gatilho desativado",
        "Segredo do gatilho substituído",
      ],
      ...["Link de acesso criado", "Entrada", "Saída", "Todas as sessões encerradas"],
      ...["Pessoa apagada", "Logotipo alterado", "Logotipo removido", "Importação iniciada"],
      ...["Regras da loja alteradas", "Pedidos que falharam processados novamente"],
    ],
  },
  nl: {
    lead: "Wie wat heeft gewijzigd in deze winkel. Wijzigingen van certificaten staan in de geschiedenis van elk certificaat.",
    actions: [
      ...["Winkel aangemaakt", "Abonnement gewijzigd", "Instellingen gewijzigd", "Producten gewijzigd"],
      ...["API-sleutel gemaakt", "API-sleutel vervangen", "API-sleutel ingetrokken", "Melding gesloten"],
      ...["Webhook gewijzigd", "Webhook verwijderd", "Ondertekeningsgeheim gewijzigd", "Geheim opnieuw versleuteld"],
      ...[
        "Trigger toegevoegd",
        "Trigger verwijderd",
        "Trigger ingeschakeld",
        "Trigger uitgeschakeld",
        "Geheim van trigger vervangen",
      ],
      ...["Inloglink gemaakt", "Ingelogd", "Uitgelogd", "Alle sessies beëindigd"],
      ...["Persoon gewist", "Logo gewijzigd", "Logo verwijderd", "Import gestart"],
      ...["Regels van de winkelkoppeling gewijzigd", "Mislukte bestellingen opnieuw verwerkt"],
    ],
  },
  ja: {
    lead: "このストアの変更内容と変更者です。証明書の変更は、各証明書の履歴に表示されます。",
    actions: [
      ...["ストアの作成", "プランの変更", "設定の変更", "商品の変更", "APIキーの作成", "APIキーの交換"],
      ...["APIキーの取り消し", "報告の対応完了", "Webhookの変更", "Webhookの削除", "署名シークレットの変更"],
      ...["シークレットの再暗号化"],
      ...["トリガーの追加", "トリガーの削除", "トリガーの有効化", "トリガーの無効化", "トリガーのシークレットの更新"],
      ...["ログイン用リンクの作成", "ログイン", "ログアウト", "全セッションの終了"],
      ...["個人情報の消去", "ロゴの変更", "ロゴの削除", "インポートの開始"],
      ...["ショップ連携のルールの変更", "失敗した注文の再処理"],
    ],
  },
};
