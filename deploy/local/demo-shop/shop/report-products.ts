import { randomUUID } from "node:crypto";
import { type ReplayTarget, sendUntilTaken } from "../../../../services/cli/commands/storefront/send-message.ts";
import { productPayload } from "./platform-payload.ts";
import { shopProducts } from "./product.ts";

const topic = "products/update";

/**
 * Reports the shop's products to the connector, as the storefront platform does when a product is saved. The registry
 * does not know a product's tags until the product is reported.
 *
 * @param urlOf returns the address of a picture
 * @returns the number of products that the connector did not accept
 */
export async function reportProducts(
  target: ReplayTarget,
  at: Date,
  urlOf: (picture: string) => string,
): Promise<number> {
  const triggeredAt = at.toISOString();
  const statuses = await Promise.all(
    shopProducts.map((product, index) => {
      const body = JSON.stringify(productPayload(product, at, urlOf(product.picture)));
      const message = { line: index + 1, topic, body, webhookId: randomUUID(), triggeredAt, shop: undefined };
      return sendUntilTaken(target, message);
    }),
  );
  return statuses.filter((status) => status !== 200).length;
}
