import type { Sample } from "#gen/registry/v1/inspection_service_pb.js";
import { isEmailAddress } from "#shared/email/email-address.ts";
import { defineCommand } from "../../command/command.ts";
import { parseCount } from "../../command/option-values.ts";
import {
  type FoundCertificate,
  findCertificate,
  productText,
  sampleIdPrefix,
} from "../../registry-client/find-certificate.ts";
import { listCertificates } from "../../registry-client/list-certificates.ts";
import type { StoreCalls } from "../../registry-client/operator-client.ts";
import { timeOrNull, timestampText } from "../../timestamp.ts";
import { certificateFormat } from "./format.ts";
import { searchFilters } from "./search-filters.ts";

export const certificateFind = defineCommand<{ readonly limit: number }>({
  name: "certificate find",
  changes: "nothing",
  description:
    "find certificates by e-mail address, order, serial number, id or words, and print them as 'certificate list' does; " +
    "exit code 1 if none match, 3 for an id that does not exist",
  configure: (command) =>
    command
      .argument(
        "<text>",
        "the current owner's e-mail address, an order name ('#1001', in quotation marks), an order number, " +
          "an order id, a serial number, the id of a certificate or sample, or words as for 'certificate list --search'",
      )
      .option("--limit <n>", "maximum number of certificates", parseCount, 50),
  async run({ selectStore, output, options: { limit }, args: [text = ""] }) {
    const store = await selectStore();
    if (text.startsWith(sampleIdPrefix)) {
      const { sample } = await store.inspection.getSample({ sampleId: text });
      if (sample !== undefined) output.result(sampleDocument(sample), sampleRow(sample));
      return;
    }
    const found = await search(store, text, limit, output.note);
    found.certificates.forEach(output.list(certificateFormat));
    if (found.hasMore) output.note("More certificates match. Raise --limit, or run 'certctl certificate list'.");
    if (found.certificates.length === 0) throw new Error(noneFound(text));
  },
});

async function search(store: StoreCalls, text: string, limit: number, note: (text: string) => void) {
  const filters = searchFilters(text);
  if (filters === "id") return { certificates: [await findCertificate(store, text)], hasMore: false };
  // A number is searched for as a serial number, an order number and an order id; a certificate can match several of
  // them.
  const byId = new Map<string, FoundCertificate>();
  let hasMore = false;
  for (const filter of filters) {
    if (await listCertificates(store, filter, limit, (found) => byId.set(found.id, found), note)) hasMore = true;
  }
  const certificates = [...byId.values()];
  return { certificates: certificates.slice(0, limit), hasMore: hasMore || certificates.length > limit };
}

function noneFound(text: string): string {
  const note = isEmailAddress(text) ? " An e-mail address matches only current owners." : "";
  return `The store has no certificate for ${text}.${note}`;
}

function sampleDocument({ id, productTitle, productVariant, createdAt }: Sample): object {
  return {
    id,
    isSample: true,
    product: { title: productTitle, variant: productVariant },
    createdAt: timeOrNull(createdAt),
  };
}

function sampleRow({ id, productTitle, productVariant, createdAt }: Sample): string {
  const product = productText({ title: productTitle, variant: productVariant });
  return `-  ${id}  sample  -  -  ${product}  ${timestampText(createdAt)}`;
}
