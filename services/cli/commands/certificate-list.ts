import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { Option } from "commander";
import { StatusFilter } from "#gen/registry/v1/edge_service_pb.js";
import { listCertificates } from "../registry-client/list-certificates.ts";
import { certificateFormat } from "./certificate-format.ts";
import { defineCommand } from "./command.ts";
import { enumChoices } from "./enum-names.ts";
import { type OrderFilter, parseCount, parseEmail, parseOrder, parseSerial, parseTime } from "./option-values.ts";

interface ListOptions {
  readonly email?: string;
  readonly order?: OrderFilter;
  readonly serial?: string;
  readonly status: string;
  readonly updatedSince?: Timestamp;
  readonly limit: number;
}

const statuses = enumChoices(StatusFilter);

/** `certctl certificate list` */
export const certificateList = defineCommand<ListOptions>({
  name: "certificate list",
  changes: "nothing",
  description:
    "list certificates with the API's filters and order, least recently changed first: serial number, id, status, " +
    "owner, order, product, last change",
  configure: (command) =>
    command
      .option("--email <address>", "only certificates whose current owner has this address", parseEmail)
      .option("--order <name or id>", "only certificates of this order, such as '#1001'", parseOrder)
      .option("--serial <digits>", "only the certificate with this serial number", parseSerial)
      .addOption(new Option("--status <status>").choices([...statuses.keys(), "all"]).default("all"))
      .option("--updated-since <time>", "only certificates changed after this time (RFC 3339)", parseTime)
      .option("--limit <n>", "maximum number of certificates", parseCount, 50),
  async run({ client, storeId, output, options: { limit, status, ...options } }) {
    const filters = { ...options, status: statuses.get(status) ?? StatusFilter.UNSPECIFIED };
    const show = output.list(certificateFormat);
    let lastChange = "";
    const hasMore = await listCertificates(client, { ...filters, storeId: await storeId() }, limit, (certificate) => {
      show(certificate);
      lastChange = certificate.updatedAt;
    });
    if (hasMore) output.note(`More certificates match. Continue with --updated-since ${lastChange}`);
  },
});
