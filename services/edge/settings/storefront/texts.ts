import type { Texts } from "../model/settings-page.ts";
import type { StorefrontState } from "./storefront-state.ts";

interface StorefrontTexts {
  readonly lead: string;
  readonly connection: string;
  readonly states: Readonly<Record<StorefrontState, string>>;
  /** A sentence for each state except `attention`, for which pages show the number of problems. */
  readonly sentences: Readonly<Record<Exclude<StorefrontState, "attention">, string>>;
  readonly shop: string;
  readonly lastOpened: string;
  readonly removed: string;
  readonly lastMessage: string;
  readonly waiting: string;
}

export const texts: Texts<StorefrontTexts> = {
  en: {
    lead: "Issues certificates for the orders in your shop, and revokes them when orders are refunded or cancelled.",
    connection: "Connection",
    states: {
      unused: "Not connected",
      removed: "App removed",
      attention: "Needs attention",
      noRules: "No rules",
      works: "Connected",
    },
    sentences: {
      unused: "Your storefront platform has not sent a message yet.",
      removed: "The app was removed from your shop. Install it again to use this service with your shop.",
      noRules: "No order gets certificates until you add a rule.",
      works: "New orders get certificates according to your rules.",
    },
    shop: "Shop",
    lastOpened: "App last opened",
    removed: "App removed on",
    lastMessage: "Last message",
    waiting: "Orders and messages in progress",
  },
  de: {
    lead: "Stellt Zertifikate für die Bestellungen in Ihrem Shop aus und widerruft sie bei Erstattung oder Stornierung.",
    connection: "Verbindung",
    states: {
      unused: "Nicht verbunden",
      removed: "App entfernt",
      attention: "Bitte prüfen",
      noRules: "Keine Regeln",
      works: "Verbunden",
    },
    sentences: {
      unused: "Ihre Shop-Plattform hat noch keine Nachricht gesendet.",
      removed:
        "Die App wurde aus Ihrem Shop entfernt. Installieren Sie sie wieder, um diesen Dienst im Shop zu nutzen.",
      noRules: "Bestellungen erhalten erst Zertifikate, wenn Sie eine Regel hinzufügen.",
      works: "Neue Bestellungen erhalten Zertifikate nach Ihren Regeln.",
    },
    shop: "Shop-Adresse",
    lastOpened: "App zuletzt geöffnet",
    removed: "App entfernt am",
    lastMessage: "Letzte Nachricht",
    waiting: "Bestellungen und Nachrichten in Arbeit",
  },
  fr: {
    lead: "Émet des certificats pour les commandes de votre boutique et les révoque en cas de remboursement ou d’annulation.",
    connection: "Connexion",
    states: {
      unused: "Non connectée",
      removed: "Application supprimée",
      attention: "À vérifier",
      noRules: "Aucune règle",
      works: "Connectée",
    },
    sentences: {
      unused: "Votre plateforme de vente n’a pas encore envoyé de message.",
      removed:
        "L’application a été supprimée de votre boutique. Installez-la à nouveau pour utiliser ce service avec votre boutique.",
      noRules: "Aucune commande ne reçoit de certificat tant que vous n’ajoutez pas de règle.",
      works: "Les nouvelles commandes reçoivent des certificats selon vos règles.",
    },
    shop: "Adresse de la boutique",
    lastOpened: "Application ouverte pour la dernière fois",
    removed: "Application supprimée le",
    lastMessage: "Dernier message",
    waiting: "Commandes et messages en cours",
  },
  es: {
    lead: "Emite certificados para los pedidos de su tienda y los revoca cuando se reembolsan o cancelan.",
    connection: "Conexión",
    states: {
      unused: "Sin conexión",
      removed: "Aplicación eliminada",
      attention: "Requiere atención",
      noRules: "Sin reglas",
      works: "Conectada",
    },
    sentences: {
      unused: "Su plataforma de venta todavía no ha enviado ningún mensaje.",
      removed: "La aplicación se eliminó de su tienda. Instálela de nuevo para usar este servicio con su tienda.",
      noRules: "Ningún pedido recibe certificados hasta que añada una regla.",
      works: "Los nuevos pedidos reciben certificados según sus reglas.",
    },
    shop: "Dirección de la tienda",
    lastOpened: "Aplicación abierta por última vez",
    removed: "Aplicación eliminada el",
    lastMessage: "Último mensaje",
    waiting: "Pedidos y mensajes en curso",
  },
  it: {
    lead: "Emette i certificati per gli ordini del tuo negozio e li revoca in caso di rimborso o annullamento.",
    connection: "Collegamento",
    states: {
      unused: "Non collegato",
      removed: "App rimossa",
      attention: "Da controllare",
      noRules: "Nessuna regola",
      works: "Collegato",
    },
    sentences: {
      unused: "La tua piattaforma di vendita non ha ancora inviato messaggi.",
      removed: "L’app è stata rimossa dal tuo negozio. Installala di nuovo per usare questo servizio con il negozio.",
      noRules: "Nessun ordine riceve certificati finché non aggiungi una regola.",
      works: "I nuovi ordini ricevono i certificati secondo le tue regole.",
    },
    shop: "Indirizzo del negozio",
    lastOpened: "Ultima apertura dell’app",
    removed: "App rimossa il",
    lastMessage: "Ultimo messaggio",
    waiting: "Ordini e messaggi in lavorazione",
  },
  pt: {
    lead: "Emite certificados para os pedidos da sua loja e os revoga quando são reembolsados ou cancelados.",
    connection: "Conexão",
    states: {
      unused: "Não conectada",
      removed: "Aplicativo removido",
      attention: "Requer atenção",
      noRules: "Sem regras",
      works: "Conectada",
    },
    sentences: {
      unused: "Sua plataforma de vendas ainda não enviou nenhuma mensagem.",
      removed: "O aplicativo foi removido da sua loja. Instale-o novamente para usar este serviço com a loja.",
      noRules: "Nenhum pedido recebe certificados até você adicionar uma regra.",
      works: "Os novos pedidos recebem certificados conforme as suas regras.",
    },
    shop: "Endereço da loja",
    lastOpened: "Aplicativo aberto pela última vez",
    removed: "Aplicativo removido em",
    lastMessage: "Última mensagem",
    waiting: "Pedidos e mensagens em andamento",
  },
  nl: {
    lead: "Geeft certificaten uit voor de bestellingen in je winkel en trekt ze in bij terugbetaling of annulering.",
    connection: "Verbinding",
    states: {
      unused: "Niet verbonden",
      removed: "App verwijderd",
      attention: "Vraagt aandacht",
      noRules: "Geen regels",
      works: "Verbonden",
    },
    sentences: {
      unused: "Je winkelplatform heeft nog geen bericht gestuurd.",
      removed: "De app is uit je winkel verwijderd. Installeer hem opnieuw om deze dienst met je winkel te gebruiken.",
      noRules: "Bestellingen krijgen pas certificaten als je een regel toevoegt.",
      works: "Nieuwe bestellingen krijgen certificaten volgens je regels.",
    },
    shop: "Adres van de winkel",
    lastOpened: "App voor het laatst geopend",
    removed: "App verwijderd op",
    lastMessage: "Laatste bericht",
    waiting: "Bestellingen en berichten in behandeling",
  },
  ja: {
    lead: "ショップの注文に対して証明書を発行し、返金やキャンセルの際に失効させます。",
    connection: "接続",
    states: {
      unused: "未接続",
      removed: "アプリ削除済み",
      attention: "要確認",
      noRules: "ルールなし",
      works: "接続中",
    },
    sentences: {
      unused: "ECプラットフォームからのメッセージはまだ届いていません。",
      removed:
        "ショップからアプリが削除されています。このサービスをショップで利用するには、再度インストールしてください。",
      noRules: "ルールを追加するまで、注文に証明書は発行されません。",
      works: "新しい注文には、ルールに従って証明書が発行されます。",
    },
    shop: "ショップのアドレス",
    lastOpened: "アプリを最後に開いた日時",
    removed: "アプリの削除日時",
    lastMessage: "最後のメッセージ",
    waiting: "処理中の注文とメッセージ",
  },
};
