import type { Buyer } from "./buyers.ts";
import type { DemoItem, DemoOrder } from "./demo-orders.ts";
import type { ExportRow } from "./export-layout.ts";

const HOUR_MS = 3_600_000;
const SHIPPING_CENTS = 690;

/** The order's rows as the platform writes them: one for each line item, the order's own cells in the first alone. */
export function orderRows(order: DemoOrder): ExportRow[] {
  return order.items.map((item, at) => ({
    ...lineCells(order, item),
    ...(at === 0 ? orderCells(order) : {}),
  }));
}

function lineCells({ name, createdAt, status, cancelled }: DemoOrder, item: DemoItem): ExportRow {
  return {
    Name: name,
    "Created at": timeText(createdAt),
    "Lineitem quantity": String(item.quantity),
    "Lineitem name": item.name,
    "Lineitem price": money(item.priceCents),
    "Lineitem sku": item.sku,
    "Lineitem requires shipping": item.name.startsWith("Workshop") ? "false" : "true",
    "Lineitem taxable": "true",
    "Lineitem fulfillment status": status === "paid" && !cancelled ? "fulfilled" : "pending",
    Vendor: "Linden Press",
    "Lineitem discount": "0.00",
  };
}

function orderCells(order: DemoOrder): ExportRow {
  const { buyer, createdAt, status, cancelled, items, note } = order;
  const paid = ["paid", "refunded", "partially_refunded"].includes(status);
  const fulfilled = status === "paid" && !cancelled;
  const subtotal = items.reduce((sum, item) => sum + item.quantity * item.priceCents, 0);
  const total = subtotal + SHIPPING_CENTS;
  const refunded =
    status === "refunded" ? total : status === "partially_refunded" ? Math.floor(total / 2) : 0;
  return {
    Email: buyer.email,
    "Financial Status": status,
    "Paid at": paid ? timeText(createdAt + 14_000) : "",
    "Fulfillment Status": fulfilled ? "fulfilled" : "unfulfilled",
    "Fulfilled at": fulfilled ? timeText(createdAt + 26 * HOUR_MS) : "",
    "Accepts Marketing": order.index % 3 === 0 ? "yes" : "no",
    Currency: "EUR",
    Subtotal: money(subtotal),
    Shipping: money(SHIPPING_CENTS),
    Total: money(total),
    "Discount Amount": "0.00",
    "Shipping Method": "Insured parcel",
    ...addressCells("Billing", buyer),
    ...addressCells("Shipping", buyer),
    ...taxCells(buyer, total),
    Notes: note,
    "Cancelled at": cancelled ? timeText(createdAt + 5 * HOUR_MS) : "",
    "Payment Method": order.index % 4 === 0 ? "Bank transfer" : "Card",
    "Payment Reference": `c${order.id.slice(-9)}.1`,
    "Refunded Amount": money(refunded),
    "Outstanding Balance": paid ? "0.00" : money(total),
    Id: order.id,
    Tags: order.index % 11 === 0 ? "returning, newsletter" : "",
    "Risk Level": "Low",
    Source: order.index % 17 === 0 ? "pos" : "web",
    "Payment ID": `c${order.id.slice(-9)}.1`,
    "Payment References": `c${order.id.slice(-9)}.1`,
  };
}

function addressCells(which: "Billing" | "Shipping", buyer: Buyer): ExportRow {
  return {
    [`${which} Name`]: buyer.name,
    [`${which} Street`]: buyer.street,
    [`${which} Address1`]: buyer.street,
    [`${which} City`]: buyer.city,
    [`${which} Zip`]: buyer.zip,
    [`${which} Province`]: buyer.provinceCode,
    [`${which} Province Name`]: buyer.province,
    [`${which} Country`]: buyer.region.country,
  };
}

function taxCells({ region: { vatPercent } }: Buyer, totalCents: number): ExportRow {
  if (vatPercent === null) return { Taxes: "0.00" };
  const tax = money(Math.round((totalCents * vatPercent) / (100 + vatPercent)));
  return { Taxes: tax, "Tax 1 Name": `VAT ${vatPercent}%`, "Tax 1 Value": tax };
}

/** The shop keeps the time of Central Europe, in summer (April to October here) two hours before UTC. */
function timeText(ms: number): string {
  const month = new Date(ms).getUTCMonth();
  const hours = month >= 3 && month <= 9 ? 2 : 1;
  const [day = "", time = ""] = new Date(ms + hours * HOUR_MS).toISOString().split("T");
  return `${day} ${time.slice(0, 8)} +0${hours}00`;
}

function money(cents: number): string {
  return (cents / 100).toFixed(2);
}
