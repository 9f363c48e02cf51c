import { z } from "zod";
import { id, quantity } from "./fields.ts";

const linesMax = 1_000;

/** A Refund resource of the Admin REST API: the payload of the refunds/create webhook, or a part of an order. */
export const refundPayload = z
  .object({
    id,
    refund_line_items: z.array(z.object({ line_item_id: id, quantity })).max(linesMax),
  })
  .transform((refund) => ({
    id: refund.id,
    units: refund.refund_line_items.map((units) => ({ lineId: units.line_item_id, quantity: units.quantity })),
  }));
