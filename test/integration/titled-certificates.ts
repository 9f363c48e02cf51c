import { inStore } from "../harness/in-store.ts";
import { type IssueItemChanges, issueItem } from "../harness/issue-items.ts";
import type { PublicCertificate } from "../harness/public-certificate.ts";
import type { TestRegistry } from "../harness/registry-fixture.ts";
import { createTestStore } from "../harness/test-stores.ts";

/** Overrides of the default issue item, keyed by the product title that identifies the certificate in a test. */
export type TitledItems = Readonly<Record<string, IssueItemChanges>>;

/** Creates a store and issues one certificate per item, in order. @returns the store's id */
export async function issueTitled(registry: TestRegistry, items: TitledItems): Promise<string> {
  const storeId = await createTestStore(registry);
  await registry.issuing.issueCertificates(
    {
      items: Object.entries(items).map(([title, changes]) =>
        issueItem({ ...changes, product: { ...changes.product, title } }),
      ),
    },
    inStore(storeId),
  );
  return storeId;
}

export function titlesOf(certificates: readonly PublicCertificate[]): string[] {
  return certificates.map(({ product }) => product.title);
}
