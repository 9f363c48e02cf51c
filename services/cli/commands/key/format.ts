import type { ApiKey } from "#gen/registry/v1/store_admin_service_pb.js";
import { timeWidthMin } from "../../output/fit-table.ts";
import type { ListFormat } from "../../output/output.ts";
import { timeOrNull, timestampText } from "../../timestamp.ts";

/** The format of API keys in lists, which show only the first characters of each key. */
export const apiKeyFormat: ListFormat<ApiKey> = {
  columns: [
    { title: "ID", value: ({ keyId }) => keyId, isWhole: true },
    { title: "BEGINS WITH", value: ({ prefix }) => (prefix === "" ? "-" : `${prefix}…`), isWhole: true },
    {
      title: "CREATED",
      value: ({ createdAt }) => timestampText(createdAt, "-"),
      widthMin: timeWidthMin,
      isHiddenFirst: true,
    },
    { title: "LAST USED", value: ({ lastUsedAt }) => timestampText(lastUsedAt, "never used"), widthMin: timeWidthMin },
    { title: "VALIDITY", value: validityText },
    { title: "LABEL", value: ({ label }) => label },
  ],
  toJson: apiKeyDocument,
};

/** Formats a key in one line: id, first characters, creation, last use, validity, label. */
export function apiKeyLine(key: ApiKey): string {
  return apiKeyFormat.columns.map(({ value }) => value(key)).join("  ");
}

/** Returns the document of a key for `--json`; unset values are null. */
export function apiKeyDocument({ keyId, prefix, label, createdAt, lastUsedAt, validUntil }: ApiKey): object {
  const times = {
    createdAt: timeOrNull(createdAt),
    lastUsedAt: timeOrNull(lastUsedAt),
    validUntil: timeOrNull(validUntil),
  };
  return { keyId, prefix: prefix || null, label, ...times };
}

function validityText({ validUntil }: ApiKey): string {
  return validUntil === undefined ? "valid" : `valid until ${timestampText(validUntil)}`;
}
