import type { Certificate } from "../../../../services/client/index.ts";
import type { Mirror, MirrorRow } from "../integrator/mirror.ts";
import { type Journey, journeyOf, type OrderMessages } from "./journey.ts";
import { stateOf, unitsLeft } from "./order.ts";
import type { OrderFile } from "./order-desk.ts";

/** The current time, and the time after which messages are overdue. */
type Times = Pick<OrderMessages, "now" | "overdueMs">;

/** Returns the state that the page receives as a server-sent event. */
export function snapshotOf(files: readonly OrderFile[], mirror: Mirror, times: Times) {
  return { orders: files.map((file) => orderView(file, mirror, times)), mirror: mirror.state };
}

/** Returns the journeys of recent actions whose messages are overdue. */
export function overdueJourneys(files: readonly OrderFile[], mirror: Mirror, times: Times): Journey[] {
  const isRecent = ({ at }: Journey) => times.now.getTime() - Date.parse(at) < waitingMs;
  const journeys = files.flatMap((file) => latestJourney(file, mirror, times) ?? []);
  return journeys.filter((journey) => journey.isOverdue && isRecent(journey));
}

/** How long after an action the mirror keeps looking for its result. */
const waitingMs = 60_000;

function latestJourney({ order, actions, sent, received }: OrderFile, mirror: Mirror, times: Times): Journey | null {
  const action = actions.at(-1);
  if (action === undefined) return null;
  const caughtUpAt = (certificate: Pick<Certificate, "id" | "updatedAt">) => mirror.caughtUpAt(certificate);
  return journeyOf(action, { sent, received, caughtUpAt, rows: mirror.rowsOf(order), ...times });
}

function orderView(file: OrderFile, mirror: Mirror, times: Times) {
  const { order, sent, received } = file;
  const { id, name, product, buyer, quantity } = order;
  return {
    id,
    name,
    quantity,
    state: stateOf(order),
    unitsLeft: unitsLeft(order),
    product: { title: product.title, variant: product.variant, picture: product.picture },
    total: product.price * quantity,
    buyer: `${buyer.firstName} ${buyer.lastName}`,
    journey: latestJourney(file, mirror, times),
    sent,
    certificates: latestCertificates(file, mirror.rowsOf(order)),
    received: received.map(({ message: { event, certificate }, body, deliveryId, signature }) => {
      return { event, serial: certificate.serial, body, deliveryId, signature };
    }),
    rows: mirror.rowsOf(order),
  };
}

/** Returns the latest known state of each certificate, received or in the mirror, ordered by serial number. */
function latestCertificates({ received }: OrderFile, rows: readonly MirrorRow[]) {
  const inMessages = received.map(({ message: { certificate } }) => {
    const { id, serial, status, updatedAt, revokedReason, verifyUrl } = certificate;
    return { id, serial, status, updatedAt, revokedReason, verifyUrl, edition: certificate.edition?.formatted ?? null };
  });
  const latest = new Map<string, Omit<MirrorRow, "source">>();
  for (const certificate of [...rows, ...inMessages]) {
    const known = latest.get(certificate.id);
    if (known === undefined || known.updatedAt <= certificate.updatedAt) latest.set(certificate.id, certificate);
  }
  return [...latest.values()].sort((one, other) => (one.serial < other.serial ? -1 : 1));
}
