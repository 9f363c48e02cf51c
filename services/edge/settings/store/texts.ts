import type { EditionStyle } from "#shared/certificates/edition.ts";
import type { Texts } from "../model/settings-page.ts";

interface StoreTexts {
  readonly lead: string;
  readonly name: string;
  readonly nameHint: (shop: string) => string;
  readonly language: string;
  readonly languageHint: string;
  readonly owner: string;
  readonly owners: Readonly<Record<"nothing" | "initials" | "name", string>>;
  readonly edition: string;
  readonly editions: Readonly<Record<EditionStyle, string>>;
  readonly links: string;
  readonly linksHint: string;
  readonly linksRefused: string;
  readonly tooLong: string;
  readonly changedMeanwhile: string;
  readonly save: string;
  readonly saved: string;
  readonly sample: string;
  readonly sampleLead: string;
  readonly sampleTitle: string;
  readonly createSample: string;
  readonly sampleCreated: string;
  readonly openSample: string;
}

export const texts: Texts<StoreTexts> = {
  en: {
    lead: "How certificates and their pages look to buyers. Changes apply to all certificates at once.",
    name: "Name of your store",
    nameHint: (shop) => `Shown on every certificate. If empty: ${shop}`,
    language: "Language of certificate pages",
    languageHint: "Visitors can switch to another language.",
    owner: "What pages show of the owner",
    owners: { nothing: "Nothing", initials: "Initials", name: "Full name" },
    edition: "Style of edition numbers",
    editions: {
      number_total: "Short",
      zero_padded: "With leading zeros",
      no_of: "In words, with No.",
      number: "In words",
    },
    links: "Address of certificate links",
    linksHint:
      "A path under your own domain that leads to our pages, such as https://example.com/verify. Empty: our address.",
    linksRefused: "This address cannot be used. It",
    changedMeanwhile:
      "This setting has been changed since you opened this page. To replace it with your entry, save again.",
    tooLong: "Shorten the name to 100 characters.",
    save: "Save",
    saved: "Saved.",
    sample: "Sample certificate",
    sampleLead: "Shows how certificates look. Samples certify nothing.",
    sampleTitle: "Title of the product",
    createSample: "Create sample",
    openSample: "Open the sample",
    sampleCreated: "The sample has been created.",
  },
  de: {
    lead: "Wie Zertifikate und ihre Seiten für Käufer aussehen. Änderungen gelten sofort für alle Zertifikate.",
    name: "Name Ihres Shops",
    nameHint: (shop) => `Steht auf jedem Zertifikat. Wenn leer: ${shop}`,
    language: "Sprache der Zertifikatsseiten",
    languageHint: "Besucher können die Sprache wechseln.",
    owner: "Was die Seiten vom Besitzer zeigen",
    owners: { nothing: "Nichts", initials: "Initialen", name: "Vollständiger Name" },
    edition: "Schreibweise der Editionsnummern",
    editions: {
      number_total: "Kurz",
      zero_padded: "Mit führenden Nullen",
      no_of: "In Worten, mit No.",
      number: "In Worten",
    },
    links: "Adresse der Zertifikatslinks",
    linksHint:
      "Ein Pfad unter Ihrer eigenen Domain, der zu unseren Seiten führt, etwa https://example.com/verify. Leer: unsere Adresse.",
    linksRefused: "Diese Adresse kann nicht verwendet werden.",
    changedMeanwhile:
      "Diese Einstellung wurde geändert, seit Sie die Seite geöffnet haben. Speichern Sie noch einmal, um sie durch Ihre Eingabe zu ersetzen.",
    tooLong: "Kürzen Sie den Namen auf 100 Zeichen.",
    save: "Speichern",
    saved: "Gespeichert.",
    sample: "Musterzertifikat",
    sampleLead: "Zeigt, wie Zertifikate aussehen. Muster bescheinigen nichts.",
    sampleTitle: "Titel des Produkts",
    createSample: "Muster erstellen",
    openSample: "Muster öffnen",
    sampleCreated: "Das Muster ist erstellt.",
  },
  fr: {
    lead: "L’aspect des certificats et de leurs pages. Les modifications s’appliquent aussitôt à tous les certificats.",
    name: "Nom de votre boutique",
    nameHint: (shop) => `Affiché sur chaque certificat. S’il est vide : ${shop}`,
    language: "Langue des pages de certificat",
    languageHint: "Les visiteurs peuvent changer de langue.",
    owner: "Ce que les pages montrent du propriétaire",
    owners: { nothing: "Rien", initials: "Initiales", name: "Nom complet" },
    edition: "Style des numéros d’édition",
    editions: { number_total: "Court", zero_padded: "Avec des zéros", no_of: "En mots, avec No.", number: "En mots" },
    links: "Adresse des liens de certificat",
    linksHint:
      "Un chemin sous votre propre domaine qui mène à nos pages, par exemple https://example.com/verify. Vide : notre adresse.",
    linksRefused: "Cette adresse ne peut pas être utilisée.",
    changedMeanwhile:
      "Ce réglage a été modifié depuis que vous avez ouvert cette page. Pour le remplacer par votre saisie, enregistrez à nouveau.",
    tooLong: "Raccourcissez le nom à 100 caractères.",
    save: "Enregistrer",
    saved: "Enregistré.",
    sample: "Certificat spécimen",
    sampleLead: "Montre l’aspect des certificats. Un spécimen ne certifie rien.",
    sampleTitle: "Titre du produit",
    createSample: "Créer un spécimen",
    openSample: "Ouvrir le spécimen",
    sampleCreated: "Le spécimen a été créé.",
  },
  es: {
    lead: "El aspecto de los certificados y de sus páginas. Los cambios se aplican de inmediato a todos los certificados.",
    name: "Nombre de su tienda",
    nameHint: (shop) => `Aparece en cada certificado. Si está vacío: ${shop}`,
    language: "Idioma de las páginas de certificado",
    languageHint: "Los visitantes pueden cambiar de idioma.",
    owner: "Qué muestran las páginas del propietario",
    owners: { nothing: "Nada", initials: "Iniciales", name: "Nombre completo" },
    edition: "Estilo de los números de edición",
    editions: { number_total: "Corto", zero_padded: "Con ceros", no_of: "En palabras, con No.", number: "En palabras" },
    links: "Dirección de los enlaces de certificado",
    linksHint:
      "Una ruta de su propio dominio que lleva a nuestras páginas, como https://example.com/verify. Vacío: nuestra dirección.",
    linksRefused: "Esta dirección no se puede utilizar.",
    changedMeanwhile:
      "Este ajuste ha cambiado desde que abrió la página. Para sustituirlo por lo que ha introducido, guarde de nuevo.",
    tooLong: "Acorte el nombre a 100 caracteres.",
    save: "Guardar",
    saved: "Guardado.",
    sample: "Certificado de muestra",
    sampleLead: "Enseña cómo son los certificados. Una muestra no certifica nada.",
    sampleTitle: "Título del producto",
    createSample: "Crear muestra",
    openSample: "Abrir la muestra",
    sampleCreated: "Se ha creado la muestra.",
  },
  it: {
    lead: "L’aspetto dei certificati e delle loro pagine. Le modifiche valgono subito per tutti i certificati.",
    name: "Nome del tuo negozio",
    nameHint: (shop) => `Appare su ogni certificato. Se vuoto: ${shop}`,
    language: "Lingua delle pagine dei certificati",
    languageHint: "I visitatori possono cambiare lingua.",
    owner: "Che cosa mostrano le pagine del proprietario",
    owners: { nothing: "Niente", initials: "Iniziali", name: "Nome completo" },
    edition: "Stile dei numeri di edizione",
    editions: {
      number_total: "Breve",
      zero_padded: "Con zeri iniziali",
      no_of: "In parole, con No.",
      number: "In parole",
    },
    links: "Indirizzo dei link ai certificati",
    linksHint:
      "Un percorso del tuo dominio che porta alle nostre pagine, come https://example.com/verify. Vuoto: il nostro indirizzo.",
    linksRefused: "Questo indirizzo non può essere usato.",
    changedMeanwhile:
      "Questa impostazione è stata modificata dopo che hai aperto la pagina. Per sostituirla con il tuo valore, salva di nuovo.",
    tooLong: "Accorcia il nome a 100 caratteri.",
    save: "Salva",
    saved: "Salvato.",
    sample: "Certificato facsimile",
    sampleLead: "Mostra l’aspetto dei certificati. Un facsimile non certifica nulla.",
    sampleTitle: "Titolo del prodotto",
    createSample: "Crea facsimile",
    openSample: "Apri il facsimile",
    sampleCreated: "Il facsimile è stato creato.",
  },
  pt: {
    lead: "A aparência dos certificados e de suas páginas. As alterações valem na hora para todos os certificados.",
    name: "Nome da sua loja",
    nameHint: (shop) => `Aparece em cada certificado. Se vazio: ${shop}`,
    language: "Idioma das páginas de certificado",
    languageHint: "Os visitantes podem mudar o idioma.",
    owner: "O que as páginas mostram do proprietário",
    owners: { nothing: "Nada", initials: "Iniciais", name: "Nome completo" },
    edition: "Estilo dos números de edição",
    editions: { number_total: "Curto", zero_padded: "Com zeros", no_of: "Por extenso, com No.", number: "Por extenso" },
    links: "Endereço dos links de certificado",
    linksHint:
      "Um caminho do seu próprio domínio que leva às nossas páginas, como https://example.com/verify. Vazio: nosso endereço.",
    linksRefused: "Este endereço não pode ser usado.",
    changedMeanwhile:
      "Esta configuração foi alterada depois que você abriu a página. Para substituí-la pelo que você digitou, salve novamente.",
    tooLong: "Reduza o nome para 100 caracteres.",
    save: "Salvar",
    saved: "Salvo.",
    sample: "Certificado de amostra",
    sampleLead: "Mostra como são os certificados. Uma amostra não certifica nada.",
    sampleTitle: "Título do produto",
    createSample: "Criar amostra",
    openSample: "Abrir a amostra",
    sampleCreated: "A amostra foi criada.",
  },
  nl: {
    lead: "Hoe certificaten en hun pagina’s eruitzien. Wijzigingen gelden meteen voor alle certificaten.",
    name: "Naam van je winkel",
    nameHint: (shop) => `Staat op elk certificaat. Indien leeg: ${shop}`,
    language: "Taal van certificaatpagina’s",
    languageHint: "Bezoekers kunnen een andere taal kiezen.",
    owner: "Wat pagina’s van de eigenaar tonen",
    owners: { nothing: "Niets", initials: "Initialen", name: "Volledige naam" },
    edition: "Stijl van editienummers",
    editions: {
      number_total: "Kort",
      zero_padded: "Met voorloopnullen",
      no_of: "In woorden, met No.",
      number: "In woorden",
    },
    links: "Adres van certificaatlinks",
    linksHint:
      "Een pad onder je eigen domein dat naar onze pagina’s leidt, zoals https://example.com/verify. Leeg: ons adres.",
    linksRefused: "Dit adres kan niet worden gebruikt.",
    changedMeanwhile:
      "Deze instelling is gewijzigd sinds je de pagina hebt geopend. Sla opnieuw op om haar door je invoer te vervangen.",
    tooLong: "Kort de naam in tot 100 tekens.",
    save: "Opslaan",
    saved: "Opgeslagen.",
    sample: "Voorbeeldcertificaat",
    sampleLead: "Laat zien hoe certificaten eruitzien. Een voorbeeld certificeert niets.",
    sampleTitle: "Titel van het product",
    createSample: "Voorbeeld maken",
    openSample: "Voorbeeld openen",
    sampleCreated: "Het voorbeeld is gemaakt.",
  },
  ja: {
    lead: "購入者に表示される証明書とページの見た目です。変更はすべての証明書にすぐ反映されます。",
    name: "ストア名",
    nameHint: (shop) => `すべての証明書に表示されます。空欄の場合：${shop}`,
    language: "証明書ページの言語",
    languageHint: "訪問者は言語を切り替えられます。",
    owner: "ページに表示する所有者情報",
    owners: { nothing: "表示しない", initials: "イニシャル", name: "氏名" },
    edition: "エディション番号の書式",
    editions: { number_total: "短い形式", zero_padded: "ゼロ埋め", no_of: "英語表記（No.付き）", number: "英語表記" },
    links: "証明書リンクのアドレス",
    linksHint:
      "当サービスのページにつながる、自社ドメインのパスです（例：https://example.com/verify）。空欄の場合は当サービスのアドレスを使用します。",
    linksRefused: "このアドレスは使用できません。",
    changedMeanwhile:
      "このページを開いた後に、この設定が変更されました。入力した内容で上書きするには、もう一度保存してください。",
    tooLong: "100文字以内で入力してください。",
    save: "保存",
    saved: "保存しました。",
    sample: "見本の証明書",
    sampleLead: "証明書の見た目を確認できます。見本は何も証明しません。",
    sampleTitle: "商品名",
    createSample: "見本を作成",
    openSample: "見本を開く",
    sampleCreated: "見本を作成しました。",
  },
};
