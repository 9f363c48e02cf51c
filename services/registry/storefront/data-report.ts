import { emailKey } from "#shared/email/email-address.ts";
import { ServiceError } from "#shared/errors/service-error.ts";
import type { Certificate } from "../certificates/certificate.ts";
import { formatSerial } from "../certificates/serial.ts";
import type { StorefrontInbox, StorefrontOrders } from "./storefront-storage.ts";

interface DataReportDeps {
  readonly inbox: Pick<StorefrontInbox, "dataRequests">;
  readonly orders: Pick<StorefrontOrders, "certificatesOf" | "certificatesOwnedBy">;
}

/**
 * Returns the report that answers a customer's request, as a JSON document: the certificates that the customer owns,
 * and those of the request's orders that were issued to the customer, without the data of other persons.
 *
 * @throws ServiceError `not_found` for a request that is unknown, or not among the newest ones that the inbox returns
 */
export async function dataReport(
  { inbox, orders }: DataReportDeps,
  storeId: string,
  requestId: string,
): Promise<string> {
  const request = (await inbox.dataRequests(storeId)).find(({ id }) => id === requestId);
  if (request === undefined) throw new ServiceError("not_found", "There is no such request.");
  const { email, orderIds } = request.content;
  const owned = email === "" ? [] : await orders.certificatesOwnedBy(storeId, email);
  const ordered = await orders.certificatesOf(storeId, orderIds);
  const byId = new Map([...owned, ...ordered].map((certificate) => [certificate.id, certificate]));
  const certificates = [...byId.values()].map((certificate) => describe(certificate, email));
  const found = certificates.filter(({ owner, originalBuyer }) => owner !== null || originalBuyer !== null);
  return JSON.stringify({ email, requestedAt: request.requestedAt, certificates: found }, null, 2);
}

function describe(certificate: Certificate, email: string) {
  const { id, serial, status, product, edition, order, issuedAt, updatedAt, expiresAt } = certificate;
  const { revokedAt, revokedReason, verifiedAt } = certificate;
  const ownData = (person: Certificate["owner"]) => (emailKey(person.email) === emailKey(email) ? person : null);
  return {
    ...{ id, serial: formatSerial(serial), status, product, edition, order, issuedAt, updatedAt, expiresAt },
    ...{ revokedAt, revokedReason, verifiedAt },
    ...{ owner: ownData(certificate.owner), originalBuyer: ownData(certificate.originalBuyer) },
  };
}
