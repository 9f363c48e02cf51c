/** Where invented buyers come from. */
export interface Region {
  /** Country code as the export writes it. */
  readonly country: string;
  /** The family name comes first, without a space. */
  readonly familyFirst: boolean;
  /** First names; `native=latin` where the e-mail address is made of another spelling. */
  readonly firstNames: readonly string[];
  /** Family names, written the same way. */
  readonly familyNames: readonly string[];
  /** City, postal code, province code, province. */
  readonly cities: readonly (readonly [string, string, string, string])[];
  readonly streets: readonly string[];
  /** Tax contained in prices, in percent; null for none. */
  readonly vatPercent: number | null;
}

const words = (text: string) => text.split(" ");

/** The regions of the demo store's buyers. */
export const REGIONS: readonly Region[] = [
  {
    country: "GB",
    familyFirst: false,
    firstNames: words("Imogen Rhys Saoirse Callum Niamh Alasdair Zoë Fergus Anwen Tamsin"),
    familyNames: words(
      "O'Hallam D'Arcy-Vane Penhallow McAusland Thistlewood O’Brannigan Quillfeather Marchbank",
    ),
    cities: [
      ["Leeds", "LS1 4AP", "ENG", "England"],
      ["Cardiff", "CF10 1EP", "WLS", "Wales"],
      ["Inverness", "IV1 1QA", "SCT", "Scotland"],
    ],
    streets: ["12 Quay Road", "3 Mill Lane", "Flat 4, 88 Harbour Street", "The Old Forge"],
    vatPercent: 20,
  },
  {
    country: "DE",
    familyFirst: false,
    firstNames: words("Jürgen Käthe Lennart Marlies Sören Gesine Björn Annegret Ruprecht Hedwig"),
    familyNames: words(
      "Grünspecht Weißhaupt Möllendiek Strohkötter Äpfelbach Krüßmann Vogelsanger Öhlschläger",
    ),
    cities: [
      ["Münster", "48143", "", ""],
      ["Görlitz", "02826", "", ""],
      ["Lübeck", "23552", "", ""],
    ],
    streets: ["Gänsemarkt 7", "Am Alten Wehr 14a", "Schloßstraße 101", "Hinter der Kirche 2, 3. OG"],
    vatPercent: 19,
  },
  {
    country: "FR",
    familyFirst: false,
    firstNames: words("Hélène Maëlle Loïc Anaïs Gwénaël Solène Bérénice Tancrède Éloïse Côme"),
    familyNames: words("L'Hermineau D'Aubrèche Fontcreuse Bélanteur Lançeron Vauquelois Prévaudel Kerguéno"),
    cities: [
      ["Saint-Malo", "35400", "", ""],
      ["Besançon", "25000", "", ""],
    ],
    streets: ["8 rue de l'Été", "27 bis, quai des Brumes", "1 impasse du Chêne"],
    vatPercent: 20,
  },
  {
    country: "ES",
    familyFirst: false,
    firstNames: words("Íñigo Begoña Nuño Araceli Martín Ximena"),
    familyNames: words("Peñalosa Zurriaga Ibarrondo Cañizuela Quintabrisa Almazora"),
    cities: [
      ["A Coruña", "15001", "C", "A Coruña"],
      ["Cádiz", "11005", "CA", "Cádiz"],
    ],
    streets: ["Calle del Nácar, 5, 2º B", "Plaza de la Sal 9"],
    vatPercent: 21,
  },
  {
    country: "PL",
    familyFirst: false,
    firstNames: words("Łukasz Żaneta Bożena Świetlana Mścisław Grażyna"),
    familyNames: words("Wróblewczyk Śliwkowicz Żółtobrzeg Czapliński-Ruta Kłosowiak"),
    cities: [["Łódź", "90-001", "", ""]],
    streets: ["ul. Wodna 6/12", "al. Lipowa 40"],
    vatPercent: 23,
  },
  {
    country: "SE",
    familyFirst: false,
    firstNames: words("Åsa Sølve Øystein Freja Håkan Märta Þóra"),
    familyNames: words("Björkhammar Sjölundh Ærøberg Nattviol Fjällgren Søndermark"),
    cities: [["Göteborg", "411 03", "", ""]],
    streets: ["Fyrgatan 3", "Västra Bryggan 21"],
    vatPercent: 25,
  },
  {
    country: "US",
    familyFirst: false,
    firstNames: words("Delphine Marcus Aaliyah Theo Wren Josiah Lakshmi Cruz Noor Beatrix"),
    familyNames: words(
      "Applewhaite Stonebraker Okonjo-Bell Van_der_Lindt Castellanos-Webb Thornquist Nakagaway",
    ),
    cities: [
      ["Portland", "97205", "OR", "Oregon"],
      ["Savannah", "31401", "GA", "Georgia"],
      ["Duluth", "55802", "MN", "Minnesota"],
    ],
    streets: ["410 Cannery Row, Apt 5", "1200 N Lakeshore Dr", "PO Box 77"],
    vatPercent: null,
  },
  {
    country: "JP",
    familyFirst: true,
    firstNames: words("海斗=kaito 美月=mizuki 蓮太=renta 紬=tsumugi 朝陽=asahi"),
    familyNames: words("浜風=hamakaze 月岡=tsukioka 白鷺=shirasagi 藤波=fujinami"),
    cities: [
      ["長崎市", "850-0862", "JP-42", "Nagasaki"],
      ["京都市中京区", "604-8091", "JP-26", "Kyōto"],
    ],
    streets: ["出島町6-1", "寺町通205"],
    vatPercent: null,
  },
  {
    country: "TW",
    familyFirst: true,
    firstNames: words("雨桐=yutong 子墨=zimo 若曦=ruoxi"),
    familyNames: words("李=li 歐陽=ouyang 陳=chen"),
    cities: [["臺南市", "700", "", ""]],
    streets: ["海安路二段18號"],
    vatPercent: null,
  },
];
