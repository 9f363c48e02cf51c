import { z } from "zod";
import { id, quantity } from "./fields.ts";

/** A refund, alone (refunds/create) or in an order, in the format of the Admin REST API's Refund resource. */
export const refundPayload = z
  .object({
    id,
    refund_line_items: z.array(z.object({ line_item_id: id, quantity })).default([]),
  })
  .transform((refund) => ({
    id: refund.id,
    units: refund.refund_line_items.map((units) => ({ lineId: units.line_item_id, quantity: units.quantity })),
  }));
