import type { IntegratorMessage } from "../integrator/receive-line.ts";
import type { ShopAction } from "./journey.ts";
import { cancelOrder, OrderRefusal, quantityMax, refundUnits, type ShopOrder, unitsLeft } from "./order.ts";
import { composeMessage, type SentMessage } from "./platform.ts";
import { orderPayload, refundPayload } from "./platform-payload.ts";
import { buyers, shopProducts } from "./product.ts";

/** An order, the actions on it, the webhooks sent for it, and the registry's messages about its certificates. */
export interface OrderFile {
  readonly order: ShopOrder;
  /** The latest action is last. */
  readonly actions: readonly ShopAction[];
  readonly sent: readonly SentMessage[];
  readonly received: readonly IntegratorMessage[];
}

interface OrderDeskDeps {
  /** The secret with which the storefront platform signs its webhooks. */
  readonly secret: Uint8Array;
  /** Sends a webhook. @returns the message with the outcome */
  readonly deliver: (message: SentMessage) => Promise<SentMessage>;
  readonly now: () => Date;
  /** Called after each change to {@link OrderDesk.files}. */
  readonly onChange: () => void;
}

const filesMax = 12;

/** Keeps the shop's latest orders, and reports each change to the registry as the storefront platform does. */
export class OrderDesk {
  readonly #deps: OrderDeskDeps;
  // Newest first.
  #files: readonly OrderFile[] = [];
  #count = 0;
  #lastId = 0;
  readonly #firstNumber: number;

  constructor(deps: OrderDeskDeps) {
    this.#deps = deps;
    // Derived from the time, so that order names rarely repeat those of an earlier run.
    this.#firstNumber = 10_000 + (Math.floor(deps.now().getTime() / 1_000) % 80_000);
  }

  /** The latest orders, newest first. */
  get files(): readonly OrderFile[] {
    return this.#files;
  }

  /** Places and pays for an order. @returns its id @throws OrderRefusal for an unknown product or a wrong quantity */
  place(productId: number, quantity: number): number {
    const product = shopProducts.find(({ id }) => id === productId);
    if (product === undefined) throw new OrderRefusal("The shop does not sell this product.");
    if (!Number.isInteger(quantity) || quantity < 1 || quantity > quantityMax)
      throw new OrderRefusal(`Order 1 to ${quantityMax} units.`);
    const now = this.#deps.now();
    const buyer = buyers[this.#count % buyers.length];
    if (buyer === undefined) throw new RangeError("there are no buyers");
    const order: ShopOrder = {
      id: this.#nextId(),
      name: `#${this.#firstNumber + this.#count}`,
      lineId: this.#nextId(),
      product,
      buyer,
      quantity,
      placedAt: now,
      updatedAt: now,
      refunds: [],
      cancelledAt: null,
    };
    this.#count += 1;
    this.#files = [{ order, actions: [], sent: [], received: [] }, ...this.#files].slice(0, filesMax);
    this.#report(order, "order", { topic: "orders/paid", payload: orderPayload(order), count: quantity });
    return order.id;
  }

  /** Refunds one unit. @throws OrderRefusal if the order is unknown or has no units left */
  refund(orderId: number): void {
    const refund = { id: this.#nextId(), quantity: 1, at: this.#deps.now() };
    const order = refundUnits(this.#fileOf(orderId).order, refund);
    this.#report(order, "refund", { topic: "refunds/create", payload: refundPayload(order, refund), count: 1 });
  }

  /** Cancels an order. @throws OrderRefusal if it is unknown or has no units left */
  cancel(orderId: number): void {
    const { order: before } = this.#fileOf(orderId);
    const order = cancelOrder(before, this.#deps.now());
    const count = unitsLeft(before);
    this.#report(order, "cancellation", { topic: "orders/cancelled", payload: orderPayload(order), count });
  }

  /** Sends an order's latest webhook again, as platforms sometimes do. @throws OrderRefusal for an unknown order */
  repeat(orderId: number): void {
    const last = this.#fileOf(orderId).sent.at(-1);
    if (last !== undefined) this.#send(orderId, last);
  }

  /** Adds a message from the registry to its certificate's order; ignores it if the shop no longer shows the order. */
  receive(received: IntegratorMessage): void {
    const { id } = received.message.certificate.order;
    const file = this.#files.find(({ order }) => String(order.id) === id);
    if (file !== undefined) this.#update(file.order.id, { received: [...file.received, received] });
  }

  #report(
    order: ShopOrder,
    kind: ShopAction["kind"],
    { topic, payload, count }: { readonly topic: string; readonly payload: object; readonly count: number },
  ): void {
    const { sent, actions } = this.#fileOf(order.id);
    const message = composeMessage(topic, payload, this.#deps.secret, order.updatedAt);
    const alike = actions.filter((action) => (action.kind === "order") === (kind === "order"));
    const earlier = alike.reduce((sum, action) => sum + action.count, 0);
    const action = { kind, at: order.updatedAt, count, earlier, webhookId: message.webhookId };
    this.#update(order.id, { order, actions: [...actions, action], sent: [...sent, message] });
    this.#send(order.id, message);
  }

  /** Sends a webhook in the background; the page shows the outcome once it is known. */
  #send(orderId: number, message: SentMessage): void {
    void this.#deps.deliver(message).then((outcome) => {
      const file = this.#files.find(({ order }) => order.id === orderId);
      if (file === undefined) return;
      const sent = file.sent.map((one) =>
        one.webhookId === outcome.webhookId ? { ...outcome, times: one.times + 1 } : one,
      );
      this.#update(orderId, { sent });
    });
  }

  #fileOf(orderId: number): OrderFile {
    const file = this.#files.find(({ order }) => order.id === orderId);
    if (file === undefined)
      throw new OrderRefusal(
        `This order is no longer available: the shop keeps the latest ${filesMax} orders until it restarts.`,
      );
    return file;
  }

  #update(orderId: number, changed: Partial<OrderFile>): void {
    this.#files = this.#files.map((file) => (file.order.id === orderId ? { ...file, ...changed } : file));
    this.#deps.onChange();
  }

  #nextId(): number {
    this.#lastId = Math.max(this.#lastId + 1, this.#deps.now().getTime());
    return this.#lastId;
  }
}
