import type { LineVerdict } from "./classify-line.ts";
import { classifyOrder, type HeadCells, type HeadVerdict, isHead } from "./classify-order.ts";
import { HeldRows } from "./held-rows.ts";

const HELD_ROWS_MAX = 10_000;

/** A row with a sound order name. */
export interface OrderRow {
  /** Physical line where it begins. */
  readonly line: number;
  /** The order's name. */
  readonly name: string;
  /** The order's own cells, empty in all rows but the first. */
  readonly head: HeadCells;
  /** What the row says about its line item. */
  readonly verdict: LineVerdict;
}

/** A row with its place in its order and what its order's first row says. */
export interface PlacedRow extends Omit<OrderRow, "head"> {
  /** Its place among the order's rows in the file, from 1. */
  readonly place: number;
  /** What the order's first row says, or why the row belongs to no order. */
  readonly order: HeadVerdict;
}

interface Order {
  rows: number;
  id: string;
  head: HeadVerdict | null;
  /** Two first rows with different ids have come: rows without an id belong to either. */
  disputed: boolean;
}

/** Brings rows and their orders together; keeps the facts of each order and the rows whose order is not known yet. */
export class OrderBook {
  readonly #orders = new Map<string, Order>();
  readonly #nameById = new Map<string, string>();
  readonly #held: HeldRows<Omit<PlacedRow, "order">>;

  /** `heldRowsMax`: how many rows may wait for their order's first row; default 10,000. */
  constructor(heldRowsMax = HELD_ROWS_MAX) {
    this.#held = new HeldRows(heldRowsMax);
  }

  /** How many orders (names) were seen. */
  get orderCount(): number {
    return this.#orders.size;
  }

  /** Counts a row that cannot be read but shows its order's name, so that the places of the others stay the same. */
  addUnreadable(name: string): void {
    this.#orderOf(name).rows += 1;
  }

  /** Adds a row. Returns the rows that can now be decided: none, itself, others that waited, in file order. */
  add({ line, name, head, verdict }: OrderRow): PlacedRow[] {
    const order = this.#orderOf(name);
    order.rows += 1;
    const row = { line, name, verdict, place: order.rows };
    if (order.head === null) {
      if (isHead(head)) return this.#open(order, head, row);
      const dropped = this.#held.hold(name, row);
      return dropped === null ? [] : [{ ...dropped, order: WAITED_TOO_LONG }];
    }
    if (head.id !== "" && head.id !== order.id) {
      order.disputed = true;
      return [{ ...row, order: OTHER_ID }];
    }
    return [{ ...row, order: order.disputed && head.id === "" ? DISPUTED : order.head }];
  }

  /** The rows whose order's first row never came. Call it at the end of the file. */
  close(): PlacedRow[] {
    return this.#held.releaseAll().map((row) => ({ ...row, order: NO_HEAD }));
  }

  #orderOf(name: string): Order {
    const known = this.#orders.get(name);
    if (known !== undefined) return known;
    const order = { rows: 0, id: "", head: null, disputed: false };
    this.#orders.set(name, order);
    return order;
  }

  #open(order: Order, cells: HeadCells, row: Omit<PlacedRow, "order">): PlacedRow[] {
    const head = this.#withOwnId(classifyOrder(cells), row.name);
    order.head = head;
    order.id = cells.id;
    return [...this.#held.release(row.name), row].map((each) => ({ ...each, order: head }));
  }

  /** Certificates are found again by order id: a second order of the same id would take the first one's for its own. */
  #withOwnId(head: HeadVerdict, name: string): HeadVerdict {
    if (head.kind !== "paid") return head;
    const holder = this.#nameById.get(head.id);
    if (holder !== undefined) return idFault(`The order ${holder} has the same order id.`);
    this.#nameById.set(head.id, name);
    return head;
  }
}

const WAITED_TOO_LONG = idFault(
  "The row with this order's id did not come before too many other rows waited for theirs.",
);
const NO_HEAD = idFault("No row of the file tells this order's id.");
const OTHER_ID = idFault("An earlier row gives this order name another order id.");
const DISPUTED = idFault("Two orders have this name, so the row's order cannot be told.");

function idFault(message: string): HeadVerdict {
  return { kind: "unusable", column: "Id", message };
}
