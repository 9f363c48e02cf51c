import type { ExportColumn } from "./export-columns.ts";

/** One unit of a paid line item: what one certificate is issued for. The shape of the registry's IssueItem. */
export interface OrderUnitItem {
  /** The product as the order shows it; the export does not tell its id. */
  readonly product: {
    /** Always empty. */
    readonly id: "";
    /** Title, 1 to 255 characters. */
    readonly title: string;
    /** Variant, at most 255 characters; empty for none. */
    readonly variant: string;
    /** SKU, at most 255 characters; empty for none. */
    readonly sku: string;
  };
  /** Who paid. */
  readonly buyer: {
    /** Name, 1 to 255 characters. */
    readonly name: string;
    /** E-mail address, at most 254 characters. */
    readonly email: string;
  };
  /** The unit that was ordered. The same file gives the same keys (id, line, unit) again. */
  readonly order: {
    /** Order id: 1 to 20 digits. */
    readonly id: string;
    /** Order name, beginning with `#`, at most 64 characters. */
    readonly name: string;
    /** Place of the row among the order's rows in the file, from "1", counting the unusable ones too. */
    readonly line: string;
    /** From 1 to the line item's quantity. */
    readonly unit: number;
  };
}

/** A unit to issue a certificate for. */
export interface UnitRow {
  readonly kind: "unit";
  /** Physical line where the row begins, 1-based, the header being line 1. */
  readonly line: number;
  /** What to issue. */
  readonly item: OrderUnitItem;
}

/** A row that cannot be used; one of these for each such row. */
export interface UnusableRow {
  readonly kind: "unusable";
  /** Physical line where the row begins. */
  readonly line: number;
  /** The faulty column; null where the row as a whole cannot be read. */
  readonly column: ExportColumn | null;
  /** A sentence for people. */
  readonly message: string;
}

/** Why a row needs no certificate. */
export type SkipReason = "not_paid" | "cancelled";

/** A row that needs no certificate; one of these for each such row. */
export interface SkippedRow {
  readonly kind: "skipped";
  /** Physical line where the row begins. */
  readonly line: number;
  /** Why. */
  readonly reason: SkipReason;
}

/** What was found in the order export. */
export type OrderUnitRow = UnitRow | UnusableRow | SkippedRow;
