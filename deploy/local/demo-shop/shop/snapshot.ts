import type { Certificate } from "../../../../services/client/index.ts";
import type { Mirror } from "../integrator/mirror.ts";
import { journeyOf } from "./journey.ts";
import { stateOf, unitsLeft } from "./order.ts";
import type { OrderFile } from "./order-desk.ts";

/** Returns the state that the page receives as a server-sent event. */
export function snapshotOf(files: readonly OrderFile[], mirror: Mirror) {
  return { orders: files.map((file) => orderView(file, mirror)), mirror: mirror.state };
}

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
    journey: action === undefined ? null : journeyOf(action, { sent, received, caughtUpAt }),
    sent,
    certificates: latestCertificates(file).map((certificate) => ({
      ...{ id: certificate.id, serial: certificate.serial, edition: certificate.edition?.formatted ?? null },
      ...{ status: certificate.status, revokedReason: certificate.revokedReason, verifyUrl: certificate.verifyUrl },
    })),
    received: received.map(({ message: { event, certificate }, body, deliveryId, signature }) => {
      return { event, serial: certificate.serial, body, deliveryId, signature };
    }),
    rows: mirror.rowsOf(order),
  };
}

/** Returns the latest received state of each certificate, ordered by serial number. */
function latestCertificates({ received }: OrderFile): Certificate[] {
  const latest = new Map<string, Certificate>();
  for (const { message } of received) {
    const { certificate } = message;
    const known = latest.get(certificate.id);
    if (known === undefined || known.updatedAt <= certificate.updatedAt) latest.set(certificate.id, certificate);
  }
  return [...latest.values()].sort((one, other) => (one.serial < other.serial ? -1 : 1));
}
