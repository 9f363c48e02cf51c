import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { Option } from "commander";
import { StatusFilter } from "#gen/registry/v1/edge_service_pb.js";
import { defineCommand } from "../../command/command.ts";
import { enumChoices } from "../../command/enum-names.ts";
import {
  type OrderFilter,
  parseCount,
  parseEmail,
  parseOrder,
  parseSerial,
  parseTime,
} from "../../command/option-values.ts";
import type { FoundCertificate } from "../../registry-client/find-certificate.ts";
import { listCertificates } from "../../registry-client/list-certificates.ts";
import { certificateFormat } from "./format.ts";

interface ListOptions {
  readonly search?: string;
  readonly email?: string;
  readonly order?: OrderFilter;
  readonly serial?: string;
  readonly status: string;
  readonly updatedSince?: Timestamp;
  readonly limit: number;
}

const statuses = enumChoices(StatusFilter);

export const certificateList = defineCommand<ListOptions>({
  name: "certificate list",
  changes: "nothing",
  description:
    "list certificates with the API's filters and order, least recently changed first: serial number, id, status, " +
    "owner, order, product, last change",
  configure: (command) =>
    command
      .option("--search <words>", "only certificates that have all these words, as in the settings' search")
      .option("--email <address>", "only certificates whose current owner has this address", parseEmail)
      .option("--order <name or id>", "only certificates of this order, such as '#1001'", parseOrder)
      .option("--serial <digits>", "only the certificate with this serial number", parseSerial)
      .addOption(new Option("--status <status>").choices([...statuses.keys(), "all"]).default("all"))
      .option("--updated-since <time>", "only certificates changed after this time (RFC 3339)", parseTime)
      .option("--limit <n>", "maximum number of certificates", parseCount, 50),
  async run({ selectStore, output, options: { limit, status, ...options } }) {
    const filters = { ...options, status: statuses.get(status) ?? StatusFilter.UNSPECIFIED };
    const show = output.list(certificateFormat);
    let lastChange = "";
    const onFound = (certificate: FoundCertificate) => {
      show(certificate);
      lastChange = certificate.updatedAt;
    };
    const hasMore = await listCertificates(await selectStore(), filters, limit, onFound, output.note);
    if (hasMore) output.note(`More certificates match. Continue with --updated-since ${lastChange}`);
  },
});
