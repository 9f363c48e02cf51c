import { z } from "zod";
import { id, quantity } from "./fields.ts";

/** A Refund resource of the Admin REST API: the payload of the refunds/create webhook, or a part of an order. */
export const refundPayload = z
  .object({
    id,
    refund_line_items: z.array(z.object({ line_item_id: id, quantity })).default([]),
  })
  .transform((refund) => ({
    id: refund.id,
    units: refund.refund_line_items.map((units) => ({ lineId: units.line_item_id, quantity: units.quantity })),
  }));
