import type { Texts } from "../model/settings-page.ts";

interface ActionTexts {
  readonly test: string;
  readonly testLead: string;
  readonly rotate: string;
  readonly rotateLead: string;
  readonly enable: string;
  readonly enableLead: string;
  readonly disable: string;
  readonly disableLead: string;
  readonly remove: string;
  readonly removeLead: string;
  /** Confirmations shown after an action. */
  readonly done: Readonly<Record<"enabled" | "disabled" | "removed", string>>;
  /** Warnings on the overview page. */
  readonly notice: Readonly<Record<"failing" | "disabled", string>>;
}

export const actionTexts: Texts<ActionTexts> = {
  en: {
    test: "Send test",
    testLead: "Sends a sample certificate, once. The log shows the result.",
    rotate: "New secret",
    rotateLead: "For 24 hours, messages are signed with the old and the new secret.",
    enable: "Enable",
    enableLead: "Waiting events are sent now. Events that occurred while the trigger was disabled are not sent.",
    disable: "Disable",
    disableLead: "No events are sent until you enable the trigger again.",
    remove: "Delete trigger",
    removeLead: "Its waiting events and its log are deleted.",
    done: {
      enabled: "The trigger is enabled.",
      disabled: "The trigger is disabled.",
      removed: "The trigger has been deleted.",
    },
    notice: {
      failing: "A tool is not accepting messages at the moment. They are sent again automatically.",
      disabled: "A trigger is disabled, because its messages could not be delivered.",
    },
  },
  de: {
    test: "Test senden",
    testLead: "Sendet einmal ein Musterzertifikat. Das Protokoll zeigt das Ergebnis.",
    rotate: "Neues Geheimnis",
    rotateLead: "24 Stunden lang werden Nachrichten mit dem alten und dem neuen Geheimnis signiert.",
    enable: "Aktivieren",
    enableLead:
      "Wartende Ereignisse werden jetzt gesendet. Ereignisse aus der Zeit, in der der Trigger deaktiviert war, werden nicht gesendet.",
    disable: "Deaktivieren",
    disableLead: "Es werden keine Ereignisse gesendet, bis Sie den Trigger wieder aktivieren.",
    remove: "Trigger löschen",
    removeLead: "Seine wartenden Ereignisse und sein Protokoll werden gelöscht.",
    done: {
      enabled: "Der Trigger ist aktiviert.",
      disabled: "Der Trigger ist deaktiviert.",
      removed: "Der Trigger ist gelöscht.",
    },
    notice: {
      failing: "Ein Tool nimmt derzeit keine Nachrichten an. Sie werden erneut gesendet.",
      disabled: "Ein Trigger ist deaktiviert, weil seine Nachrichten nicht zugestellt werden konnten.",
    },
  },
  fr: {
    test: "Envoyer un test",
    testLead: "Envoie une fois un certificat spécimen. Le journal montre le résultat.",
    rotate: "Nouveau secret",
    rotateLead: "Pendant 24 heures, les messages sont signés avec l’ancien et le nouveau secret.",
    enable: "Activer",
    enableLead:
      "Les événements en attente sont envoyés maintenant. Ceux survenus pendant la désactivation ne sont pas envoyés.",
    disable: "Désactiver",
    disableLead: "Aucun événement n’est envoyé tant que vous ne réactivez pas le déclencheur.",
    remove: "Supprimer le déclencheur",
    removeLead: "Ses événements en attente et son journal sont supprimés.",
    done: {
      enabled: "Le déclencheur est activé.",
      disabled: "Le déclencheur est désactivé.",
      removed: "Le déclencheur est supprimé.",
    },
    notice: {
      failing: "Un outil n’accepte pas les messages en ce moment. Leur envoi est répété.",
      disabled: "Un déclencheur est désactivé, car ses messages n’ont pas pu être livrés.",
    },
  },
  es: {
    test: "Enviar prueba",
    testLead: "Envía una vez un certificado de muestra. El registro muestra el resultado.",
    rotate: "Nuevo secreto",
    rotateLead: "Durante 24 horas, los mensajes se firman con el secreto anterior y con el nuevo.",
    enable: "Activar",
    enableLead: "Los eventos en espera se envían ahora. Los que ocurrieron mientras estaba desactivado no se envían.",
    disable: "Desactivar",
    disableLead: "No se envían eventos hasta que vuelva a activarlo.",
    remove: "Eliminar activador",
    removeLead: "Se borran sus eventos en espera y su registro.",
    done: {
      enabled: "El activador está activo.",
      disabled: "El activador está desactivado.",
      removed: "Se ha eliminado el activador.",
    },
    notice: {
      failing: "Una herramienta no acepta mensajes en este momento. Se vuelven a enviar.",
      disabled: "Un activador está desactivado porque no se pudieron entregar sus mensajes.",
    },
  },
  it: {
    test: "Invia prova",
    testLead: "Invia una volta un certificato facsimile. Il registro mostra l’esito.",
    rotate: "Nuovo segreto",
    rotateLead: "Per 24 ore i messaggi sono firmati con il vecchio e con il nuovo segreto.",
    enable: "Attiva",
    enableLead:
      "Gli eventi in attesa vengono inviati ora. Quelli avvenuti mentre il trigger era disattivato non vengono inviati.",
    disable: "Disattiva",
    disableLead: "Non vengono inviati eventi finché non riattivi il trigger.",
    remove: "Elimina trigger",
    removeLead: "I suoi eventi in attesa e il suo registro vengono eliminati.",
    done: {
      enabled: "Il trigger è attivo.",
      disabled: "Il trigger è disattivato.",
      removed: "Il trigger è stato eliminato.",
    },
    notice: {
      failing: "Al momento uno strumento non accetta i messaggi. L’invio viene ripetuto.",
      disabled: "Un trigger è disattivato perché i suoi messaggi non sono stati consegnati.",
    },
  },
  pt: {
    test: "Enviar teste",
    testLead: "Envia uma vez um certificado de amostra. O registro mostra o resultado.",
    rotate: "Novo segredo",
    rotateLead: "Por 24 horas, as mensagens são assinadas com o segredo antigo e com o novo.",
    enable: "Ativar",
    enableLead:
      "Os eventos na fila são enviados agora. Os que ocorreram enquanto o gatilho estava desativado não são enviados.",
    disable: "Desativar",
    disableLead: "Nenhum evento é enviado até você reativar o gatilho.",
    remove: "Excluir gatilho",
    removeLead: "Os eventos na fila e o registro do gatilho são excluídos.",
    done: {
      enabled: "O gatilho está ativo.",
      disabled: "O gatilho está desativado.",
      removed: "O gatilho foi excluído.",
    },
    notice: {
      failing: "Uma ferramenta não está aceitando mensagens no momento. O envio é repetido.",
      disabled: "Um gatilho está desativado porque não foi possível entregar suas mensagens.",
    },
  },
  nl: {
    test: "Test versturen",
    testLead: "Verstuurt één keer een voorbeeldcertificaat. Het logboek toont de uitkomst.",
    rotate: "Nieuw geheim",
    rotateLead: "24 uur lang worden berichten met het oude en het nieuwe geheim ondertekend.",
    enable: "Inschakelen",
    enableLead:
      "Wachtende gebeurtenissen worden nu verzonden. Gebeurtenissen van toen de trigger uitgeschakeld was, worden niet verzonden.",
    disable: "Uitschakelen",
    disableLead: "Er worden geen gebeurtenissen verzonden totdat je de trigger weer inschakelt.",
    remove: "Trigger verwijderen",
    removeLead: "De wachtende gebeurtenissen en het logboek van de trigger worden gewist.",
    done: {
      enabled: "De trigger is ingeschakeld.",
      disabled: "De trigger is uitgeschakeld.",
      removed: "De trigger is verwijderd.",
    },
    notice: {
      failing: "Een tool accepteert op dit moment geen berichten. Ze worden opnieuw verzonden.",
      disabled: "Een trigger is uitgeschakeld, omdat zijn berichten niet konden worden afgeleverd.",
    },
  },
  ja: {
    test: "テストを送信",
    testLead: "見本の証明書を一度だけ送信します。結果は履歴に表示されます。",
    rotate: "シークレットを更新",
    rotateLead: "24時間のあいだ、新旧両方のシークレットでメッセージに署名します。",
    enable: "有効にする",
    enableLead: "送信待ちのイベントをすぐに送信します。無効だったあいだに発生したイベントは送信されません。",
    disable: "無効にする",
    disableLead: "再び有効にするまで、イベントは送信されません。",
    remove: "トリガーを削除",
    removeLead: "送信待ちのイベントと履歴も削除されます。",
    done: {
      enabled: "トリガーを有効にしました。",
      disabled: "トリガーを無効にしました。",
      removed: "トリガーを削除しました。",
    },
    notice: {
      failing: "現在、メッセージを受信していないツールがあります。メッセージは再送されます。",
      disabled: "メッセージを送信できなかったため、無効になったトリガーがあります。",
    },
  },
};
