import type { Texts } from "../model/settings-page.ts";
import type { RuleFault, SelectorName } from "./rule-entries.ts";

interface RuleFormTexts {
  readonly save: string;
  readonly products: string;
  readonly selectors: Readonly<Record<SelectorName, string>>;
  readonly value: string;
  readonly valueHint: string;
  readonly outcome: string;
  readonly issue: string;
  readonly issueNone: string;
  readonly edition: string;
  readonly editionHint: string;
  readonly numbering: string;
  readonly perProduct: string;
  readonly shared: string;
  readonly days: string;
  readonly daysHint: string;
  readonly since: string;
  readonly sinceNew: string;
  readonly sinceKept: string;
  readonly mistakes: Readonly<Record<RuleFault, string>>;
  readonly changedMeanwhile: string;
  readonly tooMany: string;
}

export const ruleFormTexts: Texts<RuleFormTexts> = {
  en: {
    save: "Save",
    products: "Products",
    selectors: {
      all: "All products",
      tag: "Products with a tag",
      sku: "Products by SKU",
      product: "A single product",
    },
    value: "Tag, SKU or product ID",
    valueHint:
      "In a SKU, * stands for any characters: ART*. The product ID is the number at the end of the product’s address in your shop’s admin.",
    outcome: "Certificates",
    issue: "Issue certificates",
    issueNone: "Issue none",
    edition: "Edition size",
    editionHint: "Leave empty for no edition. A size in your product catalogue takes precedence.",
    numbering: "Edition numbers",
    perProduct: "Each product has its own edition",
    shared: "All products of the rule share one edition",
    days: "Days of validity",
    daysHint: "Leave empty if certificates never expire.",
    since: "For orders placed since (UTC)",
    sinceNew: "Leave empty for orders from now on.",
    sinceKept: "Leave empty to keep the rule’s date.",
    mistakes: {
      valueRequired: "Enter the tag, the SKU or the product ID.",
      valueUnused: "Leave this field empty, or select which products the rule is for.",
      productId: "A product ID has 1 to 20 digits and no other characters.",
      editionSize: "Enter a whole number from 1 to 1,000,000,000.",
      validDays: "Enter a whole number from 1 to 36,500.",
      date: "Enter a date.",
    },
    changedMeanwhile:
      "Someone else has changed the rules since you opened this page. You now see the current rules. Check them, then make your change again.",
    tooMany: "A store can have at most 50 rules.",
  },
  de: {
    save: "Speichern",
    products: "Produkte",
    selectors: {
      all: "Alle Produkte",
      tag: "Produkte mit einem Tag",
      sku: "Produkte nach SKU",
      product: "Ein einzelnes Produkt",
    },
    value: "Tag, SKU oder Produkt-ID",
    valueHint:
      "In einer SKU steht * für beliebige Zeichen: ART*. Die Produkt-ID ist die Zahl am Ende der Adresse, unter der Sie das Produkt in der Verwaltung Ihres Shops öffnen.",
    outcome: "Zertifikate",
    issue: "Zertifikate ausstellen",
    issueNone: "Keine ausstellen",
    edition: "Auflage",
    editionHint: "Leer lassen, wenn es keine Auflage gibt. Eine Auflage in Ihrem Produktkatalog hat Vorrang.",
    numbering: "Nummern der Auflage",
    perProduct: "Jedes Produkt hat eine eigene Auflage",
    shared: "Alle Produkte der Regel teilen sich eine Auflage",
    days: "Gültigkeit in Tagen",
    daysHint: "Leer lassen, wenn Zertifikate nie ablaufen.",
    since: "Für Bestellungen seit (UTC)",
    sinceNew: "Leer lassen für Bestellungen ab jetzt.",
    sinceKept: "Leer lassen, um das jetzige Datum beizubehalten.",
    mistakes: {
      valueRequired: "Geben Sie den Tag, die SKU oder die Produkt-ID ein.",
      valueUnused: "Lassen Sie das Feld leer oder wählen Sie aus, für welche Produkte die Regel gilt.",
      productId: "Eine Produkt-ID besteht nur aus Ziffern, höchstens 20.",
      editionSize: "Geben Sie eine ganze Zahl von 1 bis 1.000.000.000 ein.",
      validDays: "Geben Sie eine ganze Zahl von 1 bis 36.500 ein.",
      date: "Geben Sie ein Datum ein.",
    },
    changedMeanwhile:
      "Jemand anderes hat die Regeln geändert, seit Sie diese Seite geöffnet haben. Sie sehen jetzt den aktuellen Stand. Prüfen Sie ihn und nehmen Sie Ihre Änderung dann noch einmal vor.",
    tooMany: "Ein Shop kann höchstens 50 Regeln haben.",
  },
  fr: {
    save: "Enregistrer",
    products: "Produits",
    selectors: {
      all: "Tous les produits",
      tag: "Produits portant un tag",
      sku: "Produits selon le SKU",
      product: "Un seul produit",
    },
    value: "Tag, SKU ou identifiant du produit",
    valueHint:
      "Dans un SKU, * remplace n’importe quels caractères : ART*. L’identifiant est le nombre à la fin de l’adresse du produit dans l’administration de votre boutique.",
    outcome: "Certificats",
    issue: "Émettre des certificats",
    issueNone: "Ne pas en émettre",
    edition: "Taille de l’édition",
    editionHint: "Laissez vide s’il n’y a pas d’édition. Une taille indiquée dans votre catalogue est prioritaire.",
    numbering: "Numéros d’édition",
    perProduct: "Chaque produit a sa propre édition",
    shared: "Tous les produits de la règle partagent une édition",
    days: "Validité en jours",
    daysHint: "Laissez vide si les certificats n’expirent jamais.",
    since: "Pour les commandes passées depuis le (UTC)",
    sinceNew: "Laissez vide pour les commandes à partir de maintenant.",
    sinceKept: "Laissez vide pour garder la date actuelle.",
    mistakes: {
      valueRequired: "Saisissez le tag, le SKU ou l’identifiant du produit.",
      valueUnused: "Laissez ce champ vide ou choisissez les produits concernés par la règle.",
      productId: "Un identifiant de produit ne comporte que des chiffres, 20 au plus.",
      editionSize: "Saisissez un nombre entier de 1 à 1 000 000 000.",
      validDays: "Saisissez un nombre entier de 1 à 36 500.",
      date: "Saisissez une date.",
    },
    changedMeanwhile:
      "Une autre personne a modifié les règles depuis que vous avez ouvert cette page. Vous voyez maintenant les règles actuelles. Vérifiez-les, puis refaites votre modification.",
    tooMany: "Une boutique peut avoir 50 règles au plus.",
  },
  es: {
    save: "Guardar",
    products: "Productos",
    selectors: {
      all: "Todos los productos",
      tag: "Productos con una etiqueta",
      sku: "Productos por SKU",
      product: "Un solo producto",
    },
    value: "Etiqueta, SKU o ID del producto",
    valueHint:
      "En un SKU, * equivale a cualquier carácter: ART*. El ID es el número al final de la dirección del producto en la administración de su tienda.",
    outcome: "Certificados",
    issue: "Emitir certificados",
    issueNone: "No emitir ninguno",
    edition: "Tamaño de la edición",
    editionHint: "Déjelo vacío si no hay edición. El tamaño indicado en su catálogo tiene prioridad.",
    numbering: "Números de edición",
    perProduct: "Cada producto tiene su propia edición",
    shared: "Todos los productos de la regla comparten una edición",
    days: "Validez en días",
    daysHint: "Déjelo vacío si los certificados no caducan.",
    since: "Para pedidos realizados desde el (UTC)",
    sinceNew: "Déjelo vacío para los pedidos a partir de ahora.",
    sinceKept: "Déjelo vacío para conservar la fecha actual.",
    mistakes: {
      valueRequired: "Introduzca la etiqueta, el SKU o el ID del producto.",
      valueUnused: "Deje este campo vacío o elija para qué productos es la regla.",
      productId: "Un ID de producto consta solo de cifras, 20 como máximo.",
      editionSize: "Introduzca un número entero de 1 a 1 000 000 000.",
      validDays: "Introduzca un número entero de 1 a 36 500.",
      date: "Introduzca una fecha.",
    },
    changedMeanwhile:
      "Otra persona ha cambiado las reglas desde que abrió esta página. Ahora ve las reglas actuales. Compruébelas y vuelva a hacer su cambio.",
    tooMany: "Una tienda puede tener 50 reglas como máximo.",
  },
  it: {
    save: "Salva",
    products: "Prodotti",
    selectors: {
      all: "Tutti i prodotti",
      tag: "Prodotti con un tag",
      sku: "Prodotti per SKU",
      product: "Un solo prodotto",
    },
    value: "Tag, SKU o ID del prodotto",
    valueHint:
      "In uno SKU, * sta per qualsiasi carattere: ART*. L’ID è il numero alla fine dell’indirizzo del prodotto nell’amministrazione del tuo negozio.",
    outcome: "Certificati",
    issue: "Emetti certificati",
    issueNone: "Non emetterne",
    edition: "Tiratura",
    editionHint: "Lascia vuoto se non c’è un’edizione. La tiratura indicata nel tuo catalogo ha la precedenza.",
    numbering: "Numeri di edizione",
    perProduct: "Ogni prodotto ha la propria edizione",
    shared: "Tutti i prodotti della regola condividono un’edizione",
    days: "Validità in giorni",
    daysHint: "Lascia vuoto se i certificati non scadono mai.",
    since: "Per gli ordini effettuati dal (UTC)",
    sinceNew: "Lascia vuoto per gli ordini da adesso in poi.",
    sinceKept: "Lascia vuoto per mantenere la data attuale.",
    mistakes: {
      valueRequired: "Inserisci il tag, lo SKU o l’ID del prodotto.",
      valueUnused: "Lascia vuoto questo campo o scegli per quali prodotti vale la regola.",
      productId: "Un ID di prodotto è composto solo da cifre, al massimo 20.",
      editionSize: "Inserisci un numero intero da 1 a 1.000.000.000.",
      validDays: "Inserisci un numero intero da 1 a 36.500.",
      date: "Inserisci una data.",
    },
    changedMeanwhile:
      "Qualcun altro ha modificato le regole da quando hai aperto questa pagina. Ora vedi le regole attuali. Controllale e ripeti la tua modifica.",
    tooMany: "Un negozio può avere al massimo 50 regole.",
  },
  pt: {
    save: "Salvar",
    products: "Produtos",
    selectors: {
      all: "Todos os produtos",
      tag: "Produtos com uma tag",
      sku: "Produtos por SKU",
      product: "Um único produto",
    },
    value: "Tag, SKU ou ID do produto",
    valueHint:
      "Em um SKU, * representa quaisquer caracteres: ART*. O ID é o número no final do endereço do produto na administração da sua loja.",
    outcome: "Certificados",
    issue: "Emitir certificados",
    issueNone: "Não emitir",
    edition: "Tiragem",
    editionHint: "Deixe vazio se não houver edição. A tiragem indicada no seu catálogo tem prioridade.",
    numbering: "Números da edição",
    perProduct: "Cada produto tem sua própria edição",
    shared: "Todos os produtos da regra compartilham uma edição",
    days: "Validade em dias",
    daysHint: "Deixe vazio se os certificados não expiram.",
    since: "Para pedidos feitos desde (UTC)",
    sinceNew: "Deixe vazio para pedidos a partir de agora.",
    sinceKept: "Deixe vazio para manter a data atual.",
    mistakes: {
      valueRequired: "Informe a tag, o SKU ou o ID do produto.",
      valueUnused: "Deixe este campo vazio ou escolha para quais produtos a regra vale.",
      productId: "Um ID de produto tem apenas algarismos, no máximo 20.",
      editionSize: "Informe um número inteiro de 1 a 1.000.000.000.",
      validDays: "Informe um número inteiro de 1 a 36.500.",
      date: "Informe uma data.",
    },
    changedMeanwhile:
      "Outra pessoa alterou as regras depois que você abriu esta página. Agora você vê as regras atuais. Confira e faça sua alteração novamente.",
    tooMany: "Uma loja pode ter no máximo 50 regras.",
  },
  nl: {
    save: "Opslaan",
    products: "Producten",
    selectors: {
      all: "Alle producten",
      tag: "Producten met een tag",
      sku: "Producten op SKU",
      product: "Eén product",
    },
    value: "Tag, SKU of product-ID",
    valueHint:
      "In een SKU staat * voor willekeurige tekens: ART*. Het product-ID is het getal aan het einde van het adres van het product in het beheer van je winkel.",
    outcome: "Certificaten",
    issue: "Certificaten uitgeven",
    issueNone: "Geen uitgeven",
    edition: "Oplage",
    editionHint: "Laat leeg als er geen oplage is. Een oplage in je productcatalogus gaat voor.",
    numbering: "Nummers van de oplage",
    perProduct: "Elk product heeft een eigen oplage",
    shared: "Alle producten van de regel delen één oplage",
    days: "Geldigheid in dagen",
    daysHint: "Laat leeg als certificaten nooit verlopen.",
    since: "Voor bestellingen sinds (UTC)",
    sinceNew: "Laat leeg voor bestellingen vanaf nu.",
    sinceKept: "Laat leeg om de huidige datum te houden.",
    mistakes: {
      valueRequired: "Vul de tag, de SKU of het product-ID in.",
      valueUnused: "Laat dit veld leeg of kies voor welke producten de regel geldt.",
      productId: "Een product-ID bestaat alleen uit cijfers, hoogstens 20.",
      editionSize: "Vul een geheel getal van 1 tot en met 1.000.000.000 in.",
      validDays: "Vul een geheel getal van 1 tot en met 36.500 in.",
      date: "Vul een datum in.",
    },
    changedMeanwhile:
      "Iemand anders heeft de regels gewijzigd sinds je deze pagina opende. Je ziet nu de huidige regels. Controleer ze en doe je wijziging opnieuw.",
    tooMany: "Een winkel kan hoogstens 50 regels hebben.",
  },
  ja: {
    save: "保存",
    products: "対象の商品",
    selectors: { all: "すべての商品", tag: "タグで指定", sku: "SKUで指定", product: "1つの商品を指定" },
    value: "タグ・SKU・商品ID",
    valueHint:
      "SKUでは「*」が任意の文字列を表します（例：ART*）。商品IDは、ショップの管理画面で商品を開いたときのアドレスの末尾にある数字です。",
    outcome: "証明書",
    issue: "発行する",
    issueNone: "発行しない",
    edition: "エディションの総数",
    editionHint: "エディションがない場合は空欄にしてください。商品カタログに総数がある場合は、そちらが優先されます。",
    numbering: "エディション番号",
    perProduct: "商品ごとに番号を付ける",
    shared: "このルールのすべての商品で番号を共有する",
    days: "有効日数",
    daysHint: "有効期限がない場合は空欄にしてください。",
    since: "対象とする注文の開始日（UTC）",
    sinceNew: "空欄の場合は、これからの注文が対象になります。",
    sinceKept: "空欄の場合は、現在の日付のままになります。",
    mistakes: {
      valueRequired: "タグ、SKU、または商品IDを入力してください。",
      valueUnused: "この欄を空にするか、対象の商品を選択してください。",
      productId: "商品IDは20桁以内の数字で入力してください。",
      editionSize: "1から1,000,000,000までの整数を入力してください。",
      validDays: "1から36,500までの整数を入力してください。",
      date: "日付を入力してください。",
    },
    changedMeanwhile:
      "このページを開いた後に、他の人がルールを変更しました。現在のルールを表示しています。内容を確認してから、もう一度変更してください。",
    tooMany: "ルールは1つのストアにつき50件までです。",
  },
};
