import { printable } from "#shared/text/printable.ts";
import { timeWidthMin } from "../../output/fit-table.ts";
import type { ListFormat } from "../../output/output.ts";
import { type FoundCertificate, productText } from "../../registry-client/find-certificate.ts";

/** The format of certificates in lists. The document for `--json` is the public JSON (INTERFACE.md §2.1). */
export const certificateFormat: ListFormat<FoundCertificate> = {
  columns: [
    { title: "SERIAL", value: ({ serial }) => serial, isWhole: true },
    { title: "ID", value: ({ id }) => id, isWhole: true },
    { title: "STATUS", value: ({ status }) => status, isWhole: true },
    { title: "OWNER", value: ({ owner }) => printable(`${owner.name} <${owner.email}>`) },
    { title: "ORDER", value: ({ order }) => (order.name === null ? "-" : printable(`${order.name} (${order.id})`)) },
    { title: "PRODUCT", value: ({ product }) => productText(product) },
    { title: "LAST CHANGE", value: ({ updatedAt }) => updatedAt, widthMin: timeWidthMin },
  ],
  toJson: ({ json }) => json,
};
