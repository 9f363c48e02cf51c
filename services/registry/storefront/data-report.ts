import { emailKey } from "#shared/email/email-address.ts";
import { ServiceError } from "#shared/errors/service-error.ts";
import type { Certificate } from "../certificates/certificate.ts";
import { formatSerial } from "../certificates/serial.ts";
import { findCustomer } from "./find-customer.ts";
import { dataRequestsMax, type StorefrontInbox, type StorefrontOrders } from "./storefront-storage.ts";

export interface DataReportDeps {
  readonly inbox: Pick<StorefrontInbox, "dataRequests">;
  readonly orders: Pick<StorefrontOrders, "ofCustomer" | "buyersOf" | "certificatesOf" | "certificatesOwnedBy">;
}

/** Maximum number of certificates in a report: more would exceed the size of a gRPC message. */
export const reportedCertificatesMax = 5_000;

/**
 * Returns the report that answers a customer's request, as a JSON document: the customer's e-mail addresses, the
 * certificates that the customer owns or that were issued to the customer, and the customer's orders, without the data
 * of other people. The reason for a revocation is free text, which can name anyone, so it is left out. The field
 * `hasMoreCertificates` is true if there are more than {@link reportedCertificatesMax} certificates.
 *
 * @throws ServiceError `not_found` for a request that is unknown, or not among the newest ones that the inbox returns
 */
export async function dataReport(
  { inbox, orders }: DataReportDeps,
  storeId: string,
  requestId: string,
): Promise<string> {
  const request = (await inbox.dataRequests(storeId)).find(({ id }) => id === requestId);
  if (request === undefined)
    throw new ServiceError("not_found", `There is no such data request among the newest ${dataRequestsMax}.`);
  const { content, requestedAt } = request;
  const { email, orderIds } = content;
  const customer = await findCustomer(orders, storeId, content);
  const ordered = [...new Set([...orderIds, ...customer.orders.keys()])];
  const found = await findCertificates(orders, storeId, customer.emails, ordered);
  const keys = new Set(customer.emails.map(emailKey));
  const described = found.slice(0, reportedCertificatesMax).map((certificate) => describe(certificate, keys));
  const report = {
    email,
    emails: customer.emails,
    requestedAt,
    certificates: described.filter(({ owner, originalBuyer }) => owner !== null || originalBuyer !== null),
    hasMoreCertificates: found.length > reportedCertificatesMax,
    orders: ordersOf(customer.orders),
  };
  return JSON.stringify(report, null, 2);
}

/** Returns the certificates of persons and orders, or more than {@link reportedCertificatesMax} of them. */
async function findCertificates(
  orders: DataReportDeps["orders"],
  storeId: string,
  emails: readonly string[],
  orderIds: readonly string[],
): Promise<Certificate[]> {
  const countMax = reportedCertificatesMax + 1;
  const byId = new Map<string, Certificate>();
  const reads = [
    ...emails.map((email) => () => orders.certificatesOwnedBy(storeId, email, countMax)),
    () => orders.certificatesOf(storeId, orderIds, countMax),
  ];
  for (const read of reads) {
    if (byId.size >= countMax) break;
    for (const certificate of await read()) byId.set(certificate.id, certificate);
  }
  return [...byId.values()];
}

function describe(certificate: Certificate, emailKeys: ReadonlySet<string>) {
  const { id, serial, status, product, edition, order, issuedAt, updatedAt, expiresAt } = certificate;
  const { revokedAt, verifiedAt } = certificate;
  const ownData = (person: Certificate["owner"]) => (emailKeys.has(emailKey(person.email)) ? person : null);
  return {
    id,
    serial: formatSerial(serial),
    status,
    product,
    edition,
    order,
    issuedAt,
    updatedAt,
    expiresAt,
    revokedAt,
    verifiedAt,
    owner: ownData(certificate.owner),
    originalBuyer: ownData(certificate.originalBuyer),
  };
}

function ordersOf(records: Awaited<ReturnType<typeof findCustomer>>["orders"]) {
  return [...records.values()].flatMap(({ record: { order } }) => {
    if (order === null) return [];
    const { id, name, createdAtMs, buyer } = order;
    return [{ id, name, placedAt: new Date(createdAtMs), buyer: { name: buyer.name, email: buyer.email } }];
  });
}
