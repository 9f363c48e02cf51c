import { type Buyer, inventBuyer } from "./buyers.ts";
import { CATALOGUE, type DemoProduct } from "./catalogue.ts";
import type { SeededRandom } from "./seeded-random.ts";

/** A line item of a demo order. */
export interface DemoItem {
  /** "Title - Variant", or the title alone. */
  readonly name: string;
  /** Empty for none. */
  readonly sku: string;
  readonly quantity: number;
  /** Price of one unit in cents. */
  readonly priceCents: number;
}

/** A demo order. */
export interface DemoOrder {
  /** From 0. */
  readonly index: number;
  /** As `#1001`. */
  readonly name: string;
  /** 13 digits. */
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly buyer: Buyer;
  readonly status: string;
  readonly cancelled: boolean;
  readonly items: readonly DemoItem[];
  readonly note: string;
}

/** What an order must be like, whatever chance says. */
export interface DemoOrderPlan {
  /** Fewest line items. */
  readonly itemsMin: number;
  /** Always paid and not cancelled. */
  readonly plain: boolean;
}

const FIRST_ORDER_AT = Date.UTC(2024, 1, 3, 7, 12, 40);
const SOLD_OUT_SKU = "LLL-AP";
const STATUSES = ["pending", "pending", "refunded", "refunded", "authorized", "voided", "partially_refunded"];
const NOTES = [
  "Please ring twice,\nthe bell is shy.",
  'A present: please write "For Grandma, with love" on the card.',
  "Leave it with the neighbour\r\n(no. 14), thank you",
  "Gift, no invoice in the parcel",
  "急ぎません。\nよろしくお願いします。",
];
const NOT_IN_CATALOGUE: readonly DemoItem[] = [
  { name: "Gift Wrapping", sku: "", quantity: 1, priceCents: 450 },
  { name: "Workshop: Etching for Beginners - Saturday, 10:00", sku: "", quantity: 1, priceCents: 8_900 },
  { name: "Harbour Tote Bag - Natural", sku: "TOTE-2019-NAT", quantity: 1, priceCents: 2_400 },
];

/** Invents orders, the oldest first. Editions are not sold out, but for one product by 3 units (of 450 orders). */
export function inventOrders(
  count: number,
  random: SeededRandom,
  planOf: (index: number) => DemoOrderPlan,
): DemoOrder[] {
  const soldByProduct = new Map<string, number>();
  const orders: DemoOrder[] = [];
  let createdAt = FIRST_ORDER_AT;
  let id = 5_612_804_014_253;
  for (let index = 0; index < count; index += 1) {
    const soldOutOne = index % 30 === 15;
    const { itemsMin, plain } = planOf(index);
    const usual = plain || soldOutOne || random.chance(0.87);
    const cancelled = !usual && random.chance(0.3);
    const items = inventItems(Math.max(itemsMin, itemCount(random)), random, soldByProduct);
    createdAt += (20 + random.below(19 * 60)) * 60_000 + random.below(60) * 1_000;
    id += 32_768 * (1 + random.below(900));
    orders.push({
      index,
      name: `#${1001 + index}`,
      id: String(id),
      createdAt,
      buyer: inventBuyer(random),
      status: usual ? "paid" : random.pick(cancelled ? ["voided", "refunded", "paid"] : STATUSES),
      cancelled,
      items: soldOutOne ? [...items, itemOf(SOLD_OUT_SKU, 1)] : items,
      note: random.chance(0.12) ? random.pick(NOTES) : "",
    });
  }
  return orders;
}

function itemCount(random: SeededRandom): number {
  const roll = random.below(100);
  if (roll < 65) return 1;
  if (roll < 86) return 2;
  return roll < 96 ? 3 : 4;
}

function inventItems(count: number, random: SeededRandom, soldByProduct: Map<string, number>): DemoItem[] {
  const items: DemoItem[] = [];
  while (items.length < count) {
    if (random.chance(0.04)) {
      items.push(random.pick(NOT_IN_CATALOGUE));
      continue;
    }
    const product = random.pick(CATALOGUE);
    const { sku } = random.pick(product.variants);
    const quantity = inventQuantity(random);
    const sold = (soldByProduct.get(product.id) ?? 0) + quantity;
    if (sku === SOLD_OUT_SKU || items.some((item) => item.sku === sku)) continue;
    if (product.edition_total > 0 && sold > 0.8 * product.edition_total) continue;
    soldByProduct.set(product.id, sold);
    items.push(itemOf(sku, quantity));
  }
  return items;
}

function inventQuantity(random: SeededRandom): number {
  const roll = random.below(100);
  if (roll < 82) return 1;
  if (roll < 94) return 2;
  return roll < 99 ? 3 + random.below(4) : 12;
}

function itemOf(sku: string, quantity: number): DemoItem {
  for (const product of CATALOGUE) {
    const variant = product.variants.find((each) => each.sku === sku);
    if (variant === undefined) continue;
    const name = variant.title === "" ? product.title : `${product.title} - ${variant.title}`;
    return { name, sku, quantity, priceCents: priceCentsOf(product, product.variants.indexOf(variant)) };
  }
  throw new Error(`The catalogue has no SKU ${sku}.`);
}

function priceCentsOf(product: DemoProduct, variantAt: number): number {
  return (28 + 35 * (CATALOGUE.indexOf(product) % 7) + 20 * variantAt) * 100;
}
