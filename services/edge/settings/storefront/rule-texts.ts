import type { Texts } from "../model/settings-page.ts";

interface RuleTexts {
  readonly rules: string;
  readonly lead: string;
  readonly empty: string;
  readonly add: string;
  readonly change: string;
  readonly present: string;
  readonly remove: string;
  readonly removeLead: string;
  readonly up: string;
  readonly down: string;
  readonly all: string;
  /** Followed by a product's id. */
  readonly product: string;
  /** Followed by a tag. */
  readonly tag: string;
  readonly certificates: string;
  readonly none: string;
  readonly noEdition: string;
  readonly editionOf: (size: string) => string;
  readonly sharedEditionOf: (size: string) => string;
  readonly neverExpires: string;
  /** @param days such as `365 days` */
  readonly validFor: (days: string) => string;
  /** Followed by a time. */
  readonly ordersSince: string;
  /** Confirmations shown after an action. */
  readonly done: Readonly<Record<"added" | "changed" | "removed" | "moved", string>>;
}

export const ruleTexts: Texts<RuleTexts> = {
  en: {
    ...{ rules: "Rules", lead: "The first rule that matches a product decides whether it gets certificates." },
    ...{ empty: "There is no rule yet, so no order gets certificates.", add: "Add rule", change: "Change rule" },
    ...{ present: "Current rule", remove: "Remove rule" },
    ...{ removeLead: "Existing certificates stay as they are.", up: "Move up", down: "Move down" },
    ...{ all: "All products", product: "Product", tag: "Products with the tag", certificates: "Certificates" },
    ...{ none: "No certificates", noEdition: "No edition", editionOf: (size) => `Edition size: ${size} per product` },
    ...{ sharedEditionOf: (size) => `Edition size: ${size} for all products together`, neverExpires: "Never expire" },
    ...{ validFor: (days) => `Valid for ${days}`, ordersSince: "Orders since" },
    done: {
      ...{ added: "The rule has been added.", changed: "The rule has been changed." },
      ...{ removed: "The rule has been removed.", moved: "The order of the rules has been changed." },
    },
  },
  de: {
    rules: "Regeln",
    lead: "Die erste Regel, die auf ein Produkt zutrifft, entscheidet, ob es Zertifikate erhält.",
    ...{ empty: "Es gibt noch keine Regel; daher erhält keine Bestellung Zertifikate.", add: "Regel hinzufügen" },
    ...{ change: "Regel ändern", present: "So gilt die Regel jetzt", remove: "Regel entfernen" },
    ...{ removeLead: "Vorhandene Zertifikate bleiben unverändert.", up: "Nach oben", down: "Nach unten" },
    ...{ all: "Alle Produkte", product: "Produkt", tag: "Produkte mit dem Tag", certificates: "Zertifikate" },
    ...{ none: "Keine Zertifikate", noEdition: "Keine Auflage", editionOf: (size) => `Auflage: ${size} je Produkt` },
    sharedEditionOf: (size) => `Auflage: ${size} für alle Produkte zusammen`,
    ...{ neverExpires: "Unbegrenzt gültig", validFor: (days) => `Gültigkeit: ${days}` },
    ordersSince: "Bestellungen seit",
    done: {
      ...{ added: "Die Regel ist hinzugefügt.", changed: "Die Regel ist geändert." },
      ...{ removed: "Die Regel ist entfernt.", moved: "Die Reihenfolge der Regeln ist geändert." },
    },
  },
  fr: {
    ...{ rules: "Règles", lead: "La première règle qui correspond à un produit décide s’il reçoit des certificats." },
    ...{ empty: "Il n’y a pas encore de règle : aucune commande ne reçoit de certificat.", add: "Ajouter une règle" },
    ...{ change: "Modifier la règle", present: "La règle actuelle", remove: "Supprimer la règle" },
    ...{ removeLead: "Les certificats existants restent inchangés.", up: "Monter", down: "Descendre" },
    ...{ all: "Tous les produits", product: "Produit", tag: "Produits portant le tag", certificates: "Certificats" },
    ...{ none: "Pas de certificat", noEdition: "Pas d’édition" },
    editionOf: (size) => `Édition : ${size} par produit`,
    ...{ sharedEditionOf: (size) => `Édition : ${size} pour tous les produits`, neverExpires: "Validité illimitée" },
    ...{ validFor: (days) => `Validité : ${days}`, ordersSince: "Commandes depuis le" },
    done: {
      ...{ added: "La règle est ajoutée.", changed: "La règle est modifiée." },
      ...{ removed: "La règle est supprimée.", moved: "L’ordre des règles est modifié." },
    },
  },
  es: {
    ...{ rules: "Reglas", lead: "La primera regla que coincide con un producto decide si recibe certificados." },
    ...{ empty: "Todavía no hay ninguna regla, así que ningún pedido recibe certificados.", add: "Añadir regla" },
    ...{ change: "Cambiar regla", present: "La regla actual", remove: "Eliminar regla" },
    ...{ removeLead: "Los certificados existentes no se modifican.", up: "Subir", down: "Bajar" },
    ...{ all: "Todos los productos", product: "Producto", tag: "Productos con la etiqueta" },
    ...{ certificates: "Certificados", none: "Sin certificados", noEdition: "Sin edición" },
    editionOf: (size) => `Edición: ${size} por producto`,
    ...{ sharedEditionOf: (size) => `Edición: ${size} para todos los productos`, neverExpires: "Sin caducidad" },
    ...{ validFor: (days) => `Validez: ${days}`, ordersSince: "Pedidos desde el" },
    done: {
      ...{ added: "Se ha añadido la regla.", changed: "Se ha cambiado la regla." },
      ...{ removed: "Se ha eliminado la regla.", moved: "Se ha cambiado el orden de las reglas." },
    },
  },
  it: {
    ...{ rules: "Regole", lead: "La prima regola che corrisponde a un prodotto decide se riceve certificati." },
    ...{ empty: "Non c’è ancora nessuna regola, quindi nessun ordine riceve certificati.", add: "Aggiungi regola" },
    ...{ change: "Modifica regola", present: "La regola attuale", remove: "Elimina regola" },
    ...{ removeLead: "I certificati esistenti restano invariati.", up: "Sposta su", down: "Sposta giù" },
    ...{ all: "Tutti i prodotti", product: "Prodotto", tag: "Prodotti con il tag", certificates: "Certificati" },
    ...{ none: "Nessun certificato", noEdition: "Nessuna edizione" },
    editionOf: (size) => `Tiratura: ${size} per prodotto`,
    sharedEditionOf: (size) => `Tiratura: ${size} per tutti i prodotti insieme`,
    ...{ neverExpires: "Senza scadenza", validFor: (days) => `Validità: ${days}`, ordersSince: "Ordini dal" },
    done: {
      ...{ added: "La regola è stata aggiunta.", changed: "La regola è stata modificata." },
      removed: "La regola è stata eliminata.",
      moved: "L’ordine delle regole è stato modificato.",
    },
  },
  pt: {
    ...{ rules: "Regras", lead: "A primeira regra que corresponde a um produto decide se ele recebe certificados." },
    ...{ empty: "Ainda não há nenhuma regra, portanto nenhum pedido recebe certificados.", add: "Adicionar regra" },
    ...{ change: "Alterar regra", present: "A regra atual", remove: "Excluir regra" },
    ...{ removeLead: "Os certificados existentes não são alterados.", up: "Mover para cima" },
    ...{ down: "Mover para baixo", all: "Todos os produtos", product: "Produto", tag: "Produtos com a tag" },
    ...{ certificates: "Certificados", none: "Sem certificados", noEdition: "Sem edição" },
    editionOf: (size) => `Tiragem: ${size} por produto`,
    sharedEditionOf: (size) => `Tiragem: ${size} para todos os produtos juntos`,
    ...{ neverExpires: "Sem data de expiração", validFor: (days) => `Validade: ${days}` },
    ordersSince: "Pedidos desde",
    done: {
      ...{ added: "A regra foi adicionada.", changed: "A regra foi alterada." },
      ...{ removed: "A regra foi excluída.", moved: "A ordem das regras foi alterada." },
    },
  },
  nl: {
    ...{ rules: "Regels", lead: "De eerste regel die bij een product past, bepaalt of het certificaten krijgt." },
    ...{ empty: "Er is nog geen regel, dus geen enkele bestelling krijgt certificaten.", add: "Regel toevoegen" },
    ...{ change: "Regel wijzigen", present: "De regel zoals die nu geldt", remove: "Regel verwijderen" },
    ...{ removeLead: "Bestaande certificaten blijven ongewijzigd.", up: "Omhoog", down: "Omlaag" },
    ...{ all: "Alle producten", product: "Het product", tag: "Producten met de tag", certificates: "Certificaten" },
    ...{ none: "Geen certificaten", noEdition: "Geen oplage", editionOf: (size) => `Oplage: ${size} per product` },
    ...{ sharedEditionOf: (size) => `Oplage: ${size} voor alle producten samen`, neverExpires: "Onbeperkt geldig" },
    ...{ validFor: (days) => `Geldigheid: ${days}`, ordersSince: "Bestellingen sinds" },
    done: {
      ...{ added: "De regel is toegevoegd.", changed: "De regel is gewijzigd." },
      ...{ removed: "De regel is verwijderd.", moved: "De volgorde van de regels is gewijzigd." },
    },
  },
  ja: {
    ...{ rules: "ルール", lead: "商品に最初に当てはまったルールによって、証明書を発行するかどうかが決まります。" },
    ...{ empty: "ルールがまだないため、注文に証明書は発行されません。", add: "ルールを追加", change: "ルールを変更" },
    ...{ present: "現在のルール", remove: "ルールを削除", removeLead: "発行済みの証明書は変わりません。" },
    ...{ up: "上へ移動", down: "下へ移動", all: "すべての商品", product: "商品", tag: "タグ" },
    ...{ certificates: "証明書あり", none: "証明書なし", noEdition: "エディションなし" },
    ...{ editionOf: (size) => `総数：商品ごとに${size}`, sharedEditionOf: (size) => `総数：全商品で${size}` },
    ...{ neverExpires: "有効期限なし", validFor: (days) => `有効期間：${days}` },
    ordersSince: "対象の注文（この日時以降）：",
    done: {
      ...{ added: "ルールを追加しました。", changed: "ルールを変更しました。" },
      ...{ removed: "ルールを削除しました。", moved: "ルールの順序を変更しました。" },
    },
  },
};
