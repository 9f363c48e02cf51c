import type {
  MessageContent,
  OrderLine,
  OrderSnapshot,
  PlatformProduct,
  Refund,
  StorefrontMessage,
} from "../../services/registry/storefront/message.ts";
import type { SeededRandom } from "../harness/seeded-random.ts";

/** A customer of the simulated shop. The name and the address occur nowhere else. */
interface Customer {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  isErased: boolean;
}

/** An order as the platform knows it. */
export interface ShopOrder {
  readonly customer: Customer;
  state: OrderSnapshot;
  /** The last state that the platform has reported, apart from refunds, which it reports in any case. */
  reported: OrderSnapshot;
  /** The earlier states, for files that a merchant exported before. */
  readonly earlier: OrderSnapshot[];
  refunds: Refund[];
}

const tags = ["art", "limited", "new"] as const;
/** The products of the shop; each has its own SKU, by which the simulation finds the units of a line. */
export const productIds = ["7001", "7002", "7003"] as const;

/** The kind of change that cancels an order. */
export const cancelling = 0;
/** The kind of change that refunds units of a line, if any are left. */
export const refunding = 2;
/** The kind of change that reports an order as it is. */
export const reporting = 5;

/** Returns the SKU of a product. */
export function skuOf(productId: string): string {
  return `SKU-${productId}`;
}

/** A shop on the platform: the source of truth, and of the messages about it, which arrive late, doubled, reordered. */
export class SimulatedShop {
  readonly orders: ShopOrder[] = [];
  /** The order that was placed or changed last. */
  latest: ShopOrder | undefined;
  readonly customers: Customer[];
  readonly products = new Map<string, PlatformProduct>();
  /** Messages that have not arrived yet. */
  readonly mail: StorefrontMessage[] = [];
  readonly #random: SeededRandom;
  readonly #now: () => number;
  readonly #prefix: string;
  #count = 0;
  #triggeredAtMs = 0;

  /** @param prefix distinguishes this shop's customers from those of other shops */
  constructor(random: SeededRandom, now: () => number, prefix: string) {
    this.#random = random;
    this.#now = now;
    this.#prefix = prefix;
    this.customers = ["ada", "bob", "cleo", "dana"].map((name, index) => ({
      id: String(9_001 + index),
      name: `${name}${prefix} Example`,
      email: `${name}${prefix}@example.test`,
      isErased: false,
    }));
  }

  /** @returns the id of the order; undefined if all customers were erased, and place none */
  placeOrder(chosen = productIds.filter(() => this.#random.chance(0.5)).slice(0, 2)): string | undefined {
    const customers = this.customers.filter(({ isErased }) => !isErased);
    if (customers.length === 0) return undefined;
    const customer = this.#random.pick(customers);
    const number = ++this.#count;
    const id = String(500_000 + number);
    const ordered: readonly string[] = chosen.length === 0 ? [productIds[0]] : chosen;
    const lines = ordered.map((productId, index): OrderLine => {
      const quantity = 1 + this.#random.below(3);
      const sku = skuOf(productId);
      const id = String(10_000_000 + number * 10 + index);
      return {
        id,
        productId,
        title: `Print ${productId}`,
        variant: "",
        sku,
        quantity,
        currentQuantity: quantity,
        isGiftCard: false,
      };
    });
    const state: OrderSnapshot = {
      id,
      name: `#${id}`,
      createdAtMs: this.#second(),
      updatedAtMs: this.#second(),
      payment: this.#random.chance(0.8) ? "paid" : "unpaid",
      isCancelled: false,
      isTest: this.#random.chance(0.05),
      buyer: { name: customer.name, email: customer.email, customerId: customer.id },
      lines,
      refunds: [],
    };
    const order = { customer, state, reported: state, earlier: [], refunds: [] };
    this.orders.push(order);
    this.latest = order;
    this.#report(order);
    return id;
  }

  /** Changes an order in one of the ways that the platform allows. */
  changeOrder(kind = this.#random.below(6), order = this.pickOrder()): void {
    if (order === undefined) return;
    this.latest = order;
    const { state } = order;
    order.earlier.push(state);
    const line = this.#random.pick(state.lines);
    const left = line.currentQuantity ?? 0;
    if (state.isCancelled || state.payment === "refunded") this.#update(order, {});
    else if (kind === cancelling) this.#update(order, { isCancelled: true });
    else if (kind === 1) this.#update(order, { payment: state.payment === "unpaid" ? "paid" : "refunded" });
    else if (kind === refunding && left > 0) this.#refund(order, line);
    else if (kind === 3 && left > 0) this.#setLine(order, line, { currentQuantity: left - 1 });
    else if (kind === 4) this.#setLine(order, line, { quantity: line.quantity + 1, currentQuantity: left + 1 });
    else this.#update(order, {});
  }

  /** Picks an order: often the latest, so that events meet at the same order. */
  pickOrder(): ShopOrder | undefined {
    if (this.latest === undefined || this.#random.chance(0.6)) return this.latest;
    return this.#random.pick(this.orders);
  }

  /** Gives a product other tags. */
  changeTags(id: string, after: readonly string[] = tags.filter(() => this.#random.chance(0.5))): void {
    const product = { id, tags: after, updatedAtMs: this.#second(), imageUrl: "" };
    this.products.set(id, product);
    this.#send("products/update", { kind: "product", product });
  }

  /** Requests the erasure of a customer, who places no further orders. */
  eraseCustomer(customer = this.#random.pick(this.customers)): void {
    if (customer.isErased) return;
    customer.isErased = true;
    const orderIds = this.orders.flatMap((order) => (order.customer === customer ? [order.state.id] : []));
    const { email, id: customerId } = customer;
    this.#send("customers/redact", { kind: "customer_erasure", email, customerId, orderIds });
  }

  /** Removes and returns a message that arrives next, in no particular order; it may arrive once more later. */
  takeMail(): StorefrontMessage | undefined {
    if (this.mail.length === 0) return undefined;
    const last = this.mail.at(-1);
    const message = last !== undefined && this.#random.chance(0.6) ? last : this.#random.pick(this.mail);
    if (this.#random.chance(0.8)) this.mail.splice(this.mail.indexOf(message), 1);
    return message;
  }

  #refund(order: ShopOrder, line: OrderLine): void {
    const left = line.currentQuantity ?? 0;
    const quantity = 1 + this.#random.below(left);
    const refund: Refund = { id: `r${++this.#count}`, units: [{ lineId: line.id, quantity }] };
    order.refunds = [...order.refunds, refund];
    // The platform may report the refund before, or without, the new state of the order.
    this.#send("refunds/create", { kind: "refund", orderId: order.state.id, refund });
    const isReported = this.#random.chance(0.7);
    this.#setLine(order, line, { currentQuantity: left - quantity }, isReported);
  }

  #setLine(order: ShopOrder, line: OrderLine, change: Partial<OrderLine>, isReported = true): void {
    const lines = order.state.lines.map((one) => (one === line ? { ...one, ...change } : one));
    this.#update(order, { lines }, isReported);
  }

  #update(order: ShopOrder, change: Partial<OrderSnapshot>, isReported = true): void {
    order.state = { ...order.state, ...change, refunds: order.refunds, updatedAtMs: this.#second() };
    if (isReported) this.#report(order);
  }

  #report(order: ShopOrder): void {
    order.reported = order.state;
    this.#send("orders/updated", { kind: "order", order: order.state });
  }

  #send(topic: string, content: MessageContent): void {
    const id = `${this.#prefix}-${++this.#count}`;
    // No two messages of the platform have the same time.
    this.#triggeredAtMs = Math.max(this.#triggeredAtMs + 1, this.#now());
    this.mail.push({ id, topic, triggeredAtMs: this.#triggeredAtMs, content });
  }

  // The platform's times have a resolution of one second.
  #second(): number {
    return Math.floor(this.#now() / 1_000) * 1_000;
  }
}
