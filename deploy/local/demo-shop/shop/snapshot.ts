import type { Certificate } from "../../../../services/client/index.ts";
import type { Mirror } from "../integrator/mirror.ts";
import { journeyOf } from "./journey.ts";
import { stateOf, unitsLeft } from "./order.ts";
import type { OrderFile } from "./order-desk.ts";

/** Returns what the page shows, as it is sent to browsers. */
export function snapshotOf(files: readonly OrderFile[], mirror: Mirror) {
  return { orders: files.map((file) => orderView(file, mirror)), mirror: mirror.state };
}

/** The content of an event of the stream. */
export type Snapshot = ReturnType<typeof snapshotOf>;

function orderView(file: OrderFile, mirror: Mirror) {
  const { order, actions, sent, received } = file;
  const caughtUpAt = (certificate: Certificate) => mirror.caughtUpAt(certificate);
  const action = actions.at(-1);
  const { id, name, product, buyer, quantity } = order;
  return {
    ...{ id, name, quantity, state: stateOf(order), unitsLeft: unitsLeft(order) },
    product: { title: product.title, variant: product.variant, picture: product.picture },
    total: product.price * quantity,
    buyer: `${buyer.firstName} ${buyer.lastName}`,
    placedAt: order.placedAt.toISOString(),
    journey: action === undefined ? null : journeyOf(action, { sent, received, caughtUpAt }),
    sent,
    certificates: latestCertificates(file).map(
      ({ id: certificateId, serial, edition, status, verifyUrl, ...rest }) => ({
        ...{ id: certificateId, serial, status, verifyUrl, edition: edition?.formatted ?? null },
        revokedReason: rest.revokedReason,
      }),
    ),
    received: received.map(({ message, body, deliveryId, signature, receivedAt }) => ({
      ...{ event: message.event, serial: message.certificate.serial, body, deliveryId, signature },
      receivedAt: receivedAt.toISOString(),
    })),
    rows: mirror.rowsOf(order),
  };
}

/** The certificates in their state after the latest message about each. */
function latestCertificates({ received }: OrderFile): Certificate[] {
  const latest = new Map<string, Certificate>();
  for (const { message } of received) {
    const { certificate } = message;
    const known = latest.get(certificate.id);
    if (known === undefined || known.updatedAt <= certificate.updatedAt) latest.set(certificate.id, certificate);
  }
  return [...latest.values()].sort((one, other) => (one.serial < other.serial ? -1 : 1));
}
