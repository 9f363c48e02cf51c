import type { Reason } from "../reasons/reason.ts";
import type { ExportColumn } from "./export-columns.ts";

/** One unit of a paid line item, for which one certificate is issued. Has the shape of the registry's IssueItem. */
export interface OrderUnitItem {
  readonly product: {
    /** Always empty: the export has no product ids. */
    readonly id: "";
    /** 1 to 255 characters. */
    readonly title: string;
    /** At most 255 characters; empty for a product without variants. */
    readonly variant: string;
    /** At most 255 characters; empty if unknown. */
    readonly sku: string;
  };
  readonly buyer: {
    /** 1 to 255 characters. */
    readonly name: string;
    /** At most 254 characters. */
    readonly email: string;
  };
  /** The order unit. The same file always yields the same keys (id, line, unit), which makes an import idempotent. */
  readonly order: {
    /** 1 to 20 digits. */
    readonly id: string;
    /** Begins with `#`; at most 64 characters. */
    readonly name: string;
    /** Position of the row among the order's rows in the file, from "1", unusable rows included. */
    readonly line: string;
    /** From 1 to the quantity of the line item. */
    readonly unit: number;
  };
}

/** A unit for which to issue a certificate. */
export interface UnitRow {
  readonly kind: "unit";
  /** Physical line where the row begins, 1-based, including the header. */
  readonly line: number;
  readonly item: OrderUnitItem;
}

/** A row from which no certificate can be issued. */
export interface UnusableRow {
  readonly kind: "unusable";
  readonly line: number;
  /** The column with the fault; null for a fault of the whole row. */
  readonly column: ExportColumn | null;
  readonly reason: Reason;
}

/** A row of an order that has not been paid, which gets no certificates yet. */
export interface SkippedRow {
  readonly kind: "skipped";
  readonly line: number;
  readonly reason: "notPaid";
}

/** Why an order's existing certificates are to be revoked. */
export type WithdrawalReason = "refunded" | "cancelled";

/**
 * A row of a refunded or cancelled order, which gets no certificates and whose existing certificates are to be revoked.
 */
export interface WithdrawnRow {
  readonly kind: "withdrawn";
  readonly line: number;
  readonly reason: WithdrawalReason;
  /** Id: 1 to 20 digits. Name: begins with `#`. */
  readonly order: { readonly id: string; readonly name: string };
}

/** A refunded or cancelled order. */
export interface WithdrawnOrder {
  readonly id: string;
  readonly name: string;
  readonly reason: WithdrawalReason;
  /** Physical line of the first {@link WithdrawnRow} of the order. */
  readonly line: number;
}

/**
 * A result of reading the order export. A usable row of a paid order yields one result per unit; every other row yields
 * one.
 */
export type OrderUnitRow = UnitRow | UnusableRow | SkippedRow | WithdrawnRow;
