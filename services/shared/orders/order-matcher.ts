import { reason } from "../reasons/reason.ts";
import type { LineVerdict } from "./classify-line.ts";
import { classifyOrder, fault, isFirstRow, type OrderCells, type OrderVerdict } from "./classify-order.ts";
import { HeldRows } from "./held-rows.ts";

const defaultHeldRowsMax = 10_000;

/** A row with a valid order name. */
export interface OrderRow {
  readonly line: number;
  readonly name: string;
  /** The cells that describe the order; usually empty in all rows but the order's first. */
  readonly orderCells: OrderCells;
  readonly verdict: LineVerdict;
}

/** A row with its position in its order and the order's classification. */
export interface MatchedRow extends Omit<OrderRow, "orderCells"> {
  /** Position among the order's rows in the file, from 1. */
  readonly position: number;
  /** The order's classification, or the reason why the row matches no order. */
  readonly order: OrderVerdict;
}

interface Order {
  rows: number;
  id: string;
  /** Null until the order's first row has been read. */
  verdict: OrderVerdict | null;
  /** Whether the name occurs with two order ids, so that a row without an id could belong to either order. */
  isAmbiguous: boolean;
}

/**
 * Matches rows to orders by the order's name. Keeps little state per order, and holds an order's rows until the row
 * that contains the order's details (its first row, see `isFirstRow`) has been read.
 */
export class OrderMatcher {
  readonly #orders = new Map<string, Order>();
  readonly #nameById = new Map<string, string>();
  readonly #held: HeldRows<Omit<MatchedRow, "order">>;

  /** @param heldRowsMax maximum number of rows that wait for the first row of their order; default 10,000 */
  constructor(heldRowsMax = defaultHeldRowsMax) {
    this.#held = new HeldRows(heldRowsMax);
  }

  get orderCount(): number {
    return this.#orders.size;
  }

  /** Counts an unreadable row of an order, so that later rows keep their positions after the file is corrected. */
  addUnreadable(name: string): void {
    this.#orderOf(name).rows += 1;
  }

  /**
   * Adds a row. Returns the rows that are matched now, in file order: the row itself, preceded by the held rows of its
   * order. A row that must be held is not returned; the row that it evicts, if any, is returned instead.
   */
  add({ line, name, orderCells, verdict }: OrderRow): MatchedRow[] {
    const order = this.#orderOf(name);
    order.rows += 1;
    const row = { line, name, verdict, position: order.rows };
    if (order.verdict === null) {
      if (isFirstRow(orderCells)) return this.#open(order, orderCells, row);
      const evicted = this.#held.hold(name, row);
      return evicted === null ? [] : [{ ...evicted, order: firstRowTooLate }];
    }
    if (orderCells.id !== "" && orderCells.id !== order.id) {
      order.isAmbiguous = true;
      return [{ ...row, order: otherId }];
    }
    return [{ ...row, order: order.isAmbiguous && orderCells.id === "" ? ambiguousName : order.verdict }];
  }

  /** Returns the held rows, whose orders have no first row. Call it at the end of the file. */
  close(): MatchedRow[] {
    return this.#held.releaseAll().map((row) => ({ ...row, order: firstRowMissing }));
  }

  #orderOf(name: string): Order {
    const known = this.#orders.get(name);
    if (known !== undefined) return known;
    const order = { rows: 0, id: "", verdict: null, isAmbiguous: false };
    this.#orders.set(name, order);
    return order;
  }

  #open(order: Order, cells: OrderCells, row: Omit<MatchedRow, "order">): MatchedRow[] {
    const verdict = this.#withUniqueId(classifyOrder(cells), cells.id, row.name);
    order.verdict = verdict;
    order.id = cells.id;
    return [...this.#held.release(row.name), row].map((each) => ({ ...each, order: verdict }));
  }

  /**
   * Rejects a paid or withdrawn order with the id of an earlier order of any kind. The id identifies the order's units:
   * the registry would return, or revoke, the earlier order's certificates.
   */
  #withUniqueId(verdict: OrderVerdict, id: string, name: string): OrderVerdict {
    const owner = this.#nameById.get(id);
    if (owner === undefined) this.#nameById.set(id, name);
    else if (verdict.kind === "paid" || verdict.kind === "withdrawn")
      return fault("Id", reason("order_id_shared", { order: owner }));
    return verdict;
  }
}

const firstRowTooLate = fault("Id", reason("order_first_row_too_late"));
const firstRowMissing = fault("Id", reason("order_first_row_missing"));
const otherId = fault("Id", reason("order_id_differs"));
const ambiguousName = fault("Id", reason("order_name_ambiguous"));
