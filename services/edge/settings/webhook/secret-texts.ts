import type { Texts } from "../model/settings-page.ts";

interface SecretTexts {
  readonly title: string;
  readonly none: string;
  readonly create: string;
  readonly active: string;
  readonly created: string;
  readonly newSecret: string;
  readonly install: string;
  readonly begin: string;
  readonly beginLead: string;
  readonly next: string;
  readonly switch: string;
  readonly cancel: string;
  readonly previous: string;
  readonly finish: string;
  readonly remove: string;
  readonly removeLead: string;
  /** Confirms an action, by the value of `done` in the URL. */
  readonly done: Readonly<Record<"switched" | "discarded" | "dropped" | "unsigned", string>>;
}

export const secretTexts: Texts<SecretTexts> = {
  en: {
    title: "Signing secret",
    none: "Messages are not signed. With a secret, your server can verify that a message comes from us.",
    create: "Create signing secret",
    active: "Messages are signed.",
    created: "Created",
    newSecret: "New signing secret",
    install: "Store it on your server, which verifies X-Service-Signature with it.",
    begin: "Replace secret",
    beginLead:
      "Creates a second secret. Messages carry both signatures until you drop the old one, so that none is rejected.",
    next: "Replacement, step 2 of 3: once your server accepts the new secret as well, switch to it.",
    switch: "Switch to the new secret",
    cancel: "Discard the new secret",
    previous:
      "Replacement, step 3 of 3: the new secret is active. Drop the old one when your server no longer needs it.",
    finish: "Drop the old secret",
    remove: "Stop signing messages",
    removeLead: "Deletes the secrets. A server that requires signatures will reject messages.",
    done: {
      switched: "The new secret is now active.",
      discarded: "The new secret has been discarded. The signing secret is unchanged.",
      dropped: "The old secret has been dropped.",
      unsigned: "Messages are no longer signed.",
    },
  },
  de: {
    title: "Signaturgeheimnis",
    none: "Die Nachrichten sind nicht signiert. Mit einem Geheimnis kann Ihr Server prüfen, dass eine Nachricht von uns stammt.",
    create: "Signaturgeheimnis erstellen",
    active: "Die Nachrichten werden signiert.",
    created: "Erstellt",
    newSecret: "Neues Signaturgeheimnis",
    install: "Hinterlegen Sie es auf Ihrem Server, der damit X-Service-Signature prüft.",
    begin: "Geheimnis ersetzen",
    beginLead:
      "Erstellt ein zweites Geheimnis. Bis Sie das alte verwerfen, tragen Nachrichten beide Signaturen, damit keine abgelehnt wird.",
    next: "Schritt 2 von 3: Sobald Ihr Server auch das neue Geheimnis annimmt, wechseln Sie zu ihm.",
    switch: "Zum neuen Geheimnis wechseln",
    cancel: "Neues Geheimnis verwerfen",
    previous:
      "Schritt 3 von 3: Das neue Geheimnis ist aktiv. Verwerfen Sie das alte, wenn Ihr Server es nicht mehr braucht.",
    finish: "Altes Geheimnis verwerfen",
    remove: "Nachrichten nicht mehr signieren",
    removeLead: "Löscht die Geheimnisse. Ein Server, der Signaturen verlangt, lehnt Nachrichten dann ab.",
    done: {
      switched: "Das neue Geheimnis ist jetzt aktiv.",
      discarded: "Das neue Geheimnis ist verworfen. Das Signaturgeheimnis bleibt unverändert.",
      dropped: "Das alte Geheimnis ist verworfen.",
      unsigned: "Die Nachrichten werden nicht mehr signiert.",
    },
  },
  fr: {
    title: "Secret de signature",
    none: "Les messages ne sont pas signés. Avec un secret, votre serveur peut vérifier qu’un message vient de nous.",
    create: "Créer un secret de signature",
    active: "Les messages sont signés.",
    created: "Créé le",
    newSecret: "Nouveau secret de signature",
    install: "Enregistrez-le sur votre serveur, qui s’en sert pour vérifier X-Service-Signature.",
    begin: "Remplacer le secret",
    beginLead:
      "Crée un second secret. Jusqu’à la suppression de l’ancien, les messages portent les deux signatures ; aucun n’est rejeté.",
    next: "Étape 2 sur 3 : dès que votre serveur accepte aussi le nouveau secret, passez à celui-ci.",
    switch: "Passer au nouveau secret",
    cancel: "Abandonner le nouveau secret",
    previous: "Étape 3 sur 3 : le nouveau secret est actif. Supprimez l’ancien quand votre serveur n’en a plus besoin.",
    finish: "Supprimer l’ancien secret",
    remove: "Ne plus signer les messages",
    removeLead: "Supprime les secrets. Un serveur qui exige des signatures rejettera les messages.",
    done: {
      switched: "Le nouveau secret est désormais actif.",
      discarded: "Le nouveau secret a été abandonné. Le secret de signature reste inchangé.",
      dropped: "L’ancien secret a été supprimé.",
      unsigned: "Les messages ne sont plus signés.",
    },
  },
  es: {
    title: "Secreto de firma",
    none: "Los mensajes no están firmados. Con un secreto, su servidor puede verificar que un mensaje procede de nosotros.",
    create: "Crear secreto de firma",
    active: "Los mensajes se firman.",
    created: "Creado",
    newSecret: "Nuevo secreto de firma",
    install: "Guárdelo en su servidor, que verifica con él X-Service-Signature.",
    begin: "Sustituir el secreto",
    beginLead:
      "Crea un segundo secreto. Hasta que elimine el anterior, los mensajes llevan ambas firmas y ninguno se rechaza.",
    next: "Paso 2 de 3: cuando su servidor acepte también el nuevo secreto, cambie a él.",
    switch: "Cambiar al nuevo secreto",
    cancel: "Descartar el nuevo secreto",
    previous: "Paso 3 de 3: el nuevo secreto está activo. Elimine el anterior cuando su servidor ya no lo necesite.",
    finish: "Eliminar el secreto anterior",
    remove: "Dejar de firmar los mensajes",
    removeLead: "Borra los secretos. Un servidor que exija firmas rechazará los mensajes.",
    done: {
      switched: "El nuevo secreto ya está activo.",
      discarded: "Se ha descartado el nuevo secreto. El secreto de firma no ha cambiado.",
      dropped: "Se ha eliminado el secreto anterior.",
      unsigned: "Los mensajes ya no se firman.",
    },
  },
  it: {
    title: "Segreto di firma",
    none: "I messaggi non sono firmati. Con un segreto il tuo server può verificare che un messaggio provenga da noi.",
    create: "Crea segreto di firma",
    active: "I messaggi vengono firmati.",
    created: "Creato il",
    newSecret: "Nuovo segreto di firma",
    install: "Salvalo sul tuo server, che lo usa per verificare X-Service-Signature.",
    begin: "Sostituisci il segreto",
    beginLead:
      "Crea un secondo segreto. Finché non elimini il vecchio, i messaggi portano entrambe le firme e nessuno viene rifiutato.",
    next: "Passo 2 di 3: quando il tuo server accetta anche il nuovo segreto, passa a quello.",
    switch: "Passa al nuovo segreto",
    cancel: "Scarta il nuovo segreto",
    previous: "Passo 3 di 3: il nuovo segreto è attivo. Elimina il vecchio quando il tuo server non ne ha più bisogno.",
    finish: "Elimina il vecchio segreto",
    remove: "Smetti di firmare i messaggi",
    removeLead: "Elimina i segreti. Un server che richiede le firme rifiuterà i messaggi.",
    done: {
      switched: "Il nuovo segreto è ora attivo.",
      discarded: "Il nuovo segreto è stato scartato. Il segreto di firma resta invariato.",
      dropped: "Il vecchio segreto è stato eliminato.",
      unsigned: "I messaggi non vengono più firmati.",
    },
  },
  pt: {
    title: "Segredo de assinatura",
    none: "As mensagens não são assinadas. Com um segredo, seu servidor pode verificar que uma mensagem vem de nós.",
    create: "Criar segredo de assinatura",
    active: "As mensagens são assinadas.",
    created: "Criado em",
    newSecret: "Novo segredo de assinatura",
    install: "Guarde-o no seu servidor, que verifica X-Service-Signature com ele.",
    begin: "Substituir o segredo",
    beginLead:
      "Cria um segundo segredo. Até você excluir o antigo, as mensagens levam as duas assinaturas e nenhuma é recusada.",
    next: "Etapa 2 de 3: quando seu servidor aceitar também o novo segredo, mude para ele.",
    switch: "Mudar para o novo segredo",
    cancel: "Descartar o novo segredo",
    previous: "Etapa 3 de 3: o novo segredo está ativo. Exclua o antigo quando seu servidor não precisar mais dele.",
    finish: "Excluir o segredo antigo",
    remove: "Parar de assinar as mensagens",
    removeLead: "Exclui os segredos. Um servidor que exige assinaturas recusará as mensagens.",
    done: {
      switched: "O novo segredo já está ativo.",
      discarded: "O novo segredo foi descartado. O segredo de assinatura não mudou.",
      dropped: "O segredo antigo foi excluído.",
      unsigned: "As mensagens não são mais assinadas.",
    },
  },
  nl: {
    title: "Ondertekeningsgeheim",
    none: "Berichten worden niet ondertekend. Met een geheim kan je server controleren dat een bericht van ons komt.",
    create: "Ondertekeningsgeheim maken",
    active: "Berichten worden ondertekend.",
    created: "Gemaakt op",
    newSecret: "Nieuw ondertekeningsgeheim",
    install: "Bewaar het op je server, die er X-Service-Signature mee controleert.",
    begin: "Geheim vervangen",
    beginLead:
      "Maakt een tweede geheim. Tot je het oude verwijdert, dragen berichten beide handtekeningen en wordt er geen geweigerd.",
    next: "Stap 2 van 3: schakel over zodra je server ook het nieuwe geheim accepteert.",
    switch: "Overschakelen op het nieuwe geheim",
    cancel: "Nieuw geheim verwerpen",
    previous:
      "Stap 3 van 3: het nieuwe geheim is actief. Verwijder het oude zodra je server het niet meer nodig heeft.",
    finish: "Oud geheim verwijderen",
    remove: "Berichten niet meer ondertekenen",
    removeLead: "Wist de geheimen. Een server die handtekeningen vereist, weigert dan berichten.",
    done: {
      switched: "Het nieuwe geheim is nu actief.",
      discarded: "Het nieuwe geheim is verworpen. Het ondertekeningsgeheim is niet gewijzigd.",
      dropped: "Het oude geheim is verwijderd.",
      unsigned: "Berichten worden niet meer ondertekend.",
    },
  },
  ja: {
    title: "署名シークレット",
    none: "メッセージは署名されていません。シークレットを作成すると、メッセージが当サービスから送信されたことをサーバーで検証できます。",
    create: "署名シークレットを作成",
    active: "メッセージは署名されています。",
    created: "作成日時",
    newSecret: "新しい署名シークレット",
    install: "サーバーに保存し、X-Service-Signatureの検証に使用してください。",
    begin: "シークレットを交換",
    beginLead:
      "2つ目のシークレットを作成します。古いシークレットを削除するまでメッセージには両方の署名が付くため、拒否されることはありません。",
    next: "手順2／3：サーバーが新しいシークレットも受け付けるようになったら、切り替えてください。",
    switch: "新しいシークレットに切り替える",
    cancel: "新しいシークレットを破棄",
    previous: "手順3／3：新しいシークレットが有効です。サーバーで古いシークレットが不要になったら、削除してください。",
    finish: "古いシークレットを削除",
    remove: "署名をやめる",
    removeLead: "シークレットを削除します。署名を必須とするサーバーはメッセージを拒否します。",
    done: {
      switched: "新しいシークレットが有効になりました。",
      discarded: "新しいシークレットを破棄しました。署名シークレットは変わっていません。",
      dropped: "古いシークレットを削除しました。",
      unsigned: "メッセージの署名を停止しました。",
    },
  },
};
