import type { Language } from "../../pages/messages/languages.ts";

/** The kinds of non-public addresses whose names are translated. */
type AddressKind =
  | "unspecified"
  | "loopback"
  | "private"
  | "link-local"
  | "carrier-grade NAT"
  | "multicast"
  | "broadcast"
  | "cloud platform"
  | "reserved";

const names: Readonly<Record<Exclude<Language, "en">, Readonly<Record<AddressKind, string>>>> = {
  de: {
    unspecified: "nicht festgelegt",
    loopback: "Loopback",
    private: "privat",
    "link-local": "Link-Local",
    "carrier-grade NAT": "Carrier-Grade-NAT",
    multicast: "Multicast",
    broadcast: "Broadcast",
    "cloud platform": "Cloud-Plattform",
    reserved: "reserviert",
  },
  fr: {
    unspecified: "non spécifiée",
    loopback: "boucle locale",
    private: "privée",
    "link-local": "lien local",
    "carrier-grade NAT": "NAT d’opérateur",
    multicast: "multidiffusion",
    broadcast: "diffusion",
    "cloud platform": "plateforme cloud",
    reserved: "réservée",
  },
  es: {
    unspecified: "sin especificar",
    loopback: "bucle local",
    private: "privada",
    "link-local": "enlace local",
    "carrier-grade NAT": "NAT de operador",
    multicast: "multidifusión",
    broadcast: "difusión",
    "cloud platform": "plataforma en la nube",
    reserved: "reservada",
  },
  it: {
    unspecified: "non specificato",
    loopback: "loopback",
    private: "privato",
    "link-local": "link-local",
    "carrier-grade NAT": "NAT dell’operatore",
    multicast: "multicast",
    broadcast: "broadcast",
    "cloud platform": "piattaforma cloud",
    reserved: "riservato",
  },
  pt: {
    unspecified: "não especificado",
    loopback: "loopback",
    private: "privado",
    "link-local": "link local",
    "carrier-grade NAT": "NAT da operadora",
    multicast: "multicast",
    broadcast: "broadcast",
    "cloud platform": "plataforma de nuvem",
    reserved: "reservado",
  },
  nl: {
    unspecified: "niet gespecificeerd",
    loopback: "loopback",
    private: "privé",
    "link-local": "link-local",
    "carrier-grade NAT": "carrier-grade NAT",
    multicast: "multicast",
    broadcast: "broadcast",
    "cloud platform": "cloudplatform",
    reserved: "gereserveerd",
  },
  ja: {
    unspecified: "未指定",
    loopback: "ループバック",
    private: "プライベート",
    "link-local": "リンクローカル",
    "carrier-grade NAT": "キャリアグレードNAT",
    multicast: "マルチキャスト",
    broadcast: "ブロードキャスト",
    "cloud platform": "クラウド基盤",
    reserved: "予約済み",
  },
};

/**
 * Translates the name of a kind of non-public address. Kinds that are not an {@link AddressKind} are technical terms,
 * such as `NAT64` or `IPv4-mapped`, and are the same in all languages.
 */
export function addressKindName(kind: string, language: Language): string {
  if (language === "en") return kind;
  return Object.entries(names[language]).find(([known]) => known === kind)?.[1] ?? kind;
}
