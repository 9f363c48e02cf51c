/**
 * A product of the demo shop. The demo store's catalogue lists it under the same id and SKU, and must define an edition
 * of the same size.
 */
export interface ShopProduct {
  /** Product id on the storefront platform. */
  readonly id: number;
  readonly variantId: number;
  readonly sku: string;
  readonly title: string;
  readonly variant: string;
  /** In euros. */
  readonly price: number;
  /** Size of the edition; 0 if there is none. */
  readonly editionTotal: number;
  /** Tags on the platform, for rules that select by tag. */
  readonly tags: readonly string[];
  /** Name of the file in assets/pictures, without `.svg`. */
  readonly picture: string;
}

/** The products of the demo shop. */
export const shopProducts: readonly ShopProduct[] = [
  {
    id: 8104412840121,
    variantId: 9104412840001,
    sku: "HAD-5070-O",
    price: 240,
    editionTotal: 200,
    title: "Harbour at Dawn",
    variant: "50 × 70 cm / Oak frame",
    picture: "harbour",
    tags: ["limited", "print"],
  },
  {
    id: 8104413003961,
    variantId: 9104413003001,
    sku: "NAG-WB-I",
    price: 310,
    editionTotal: 88,
    title: "Moon over Nagasaki 長崎の月",
    variant: "Woodblock / Indigo",
    picture: "moon",
    tags: ["limited", "print"],
  },
  {
    id: 8104413200569,
    variantId: 9104413200001,
    sku: "MFW38-TAN",
    price: 420,
    editionTotal: 500,
    title: "Marlow Field Watch 38 mm",
    variant: "Tan leather",
    picture: "watch",
    tags: ["limited"],
  },
  {
    id: 8104413298873,
    variantId: 9104413298001,
    sku: "EBB-BLU",
    price: 95,
    editionTotal: 0,
    title: "Stoneware Vase “Ebb”",
    variant: "Deep blue",
    picture: "vase",
    tags: [],
  },
];

/** A customer of the demo shop. */
export interface Buyer {
  readonly firstName: string;
  readonly lastName: string;
  readonly email: string;
}

const names = ["Maya Lindqvist", "Tomás Ferreira", "Aiko Tanaka", "Noah Adeyemi", "Clara Moreau", "Elif Kaya"];

/** Fictional buyers, used in turn for the shop's orders. */
export const buyers: readonly Buyer[] = names.map((name) => {
  const [firstName = "", lastName = ""] = name.split(" ");
  const mailbox = firstName.normalize("NFD").replaceAll(/[^A-Za-z]/g, "");
  return { firstName, lastName, email: `${mailbox.toLowerCase()}@example.com` };
});
