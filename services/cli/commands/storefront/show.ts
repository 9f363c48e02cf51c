import { defineCommand } from "../../command/command.ts";
import { timeOrNull, timestampText } from "../../timestamp.ts";

export const storefrontShow = defineCommand({
  name: "storefront show",
  changes: "nothing",
  description: "show the store's connection to its storefront platform",
  async run({ selectStore, output }) {
    const { storefront } = await selectStore();
    const found = await storefront.getStorefront({});
    const { rules, installedAt, uninstalledAt, isClosed, lastMessageAt, waitingCount, failedCount } = found;
    const lines = [
      ["state", isClosed ? "closed: the app was removed" : "open"],
      ["app last seen", timestampText(installedAt, "-")],
      ["app removed", timestampText(uninstalledAt, "-")],
      ["last message", timestampText(lastMessageAt, "-")],
      ["rules", rules.length],
      ["waiting", waitingCount],
      ["failed", failedCount],
    ] as const;
    output.result(
      {
        isClosed,
        waitingCount,
        failedCount,
        ruleCount: rules.length,
        installedAt: timeOrNull(installedAt),
        uninstalledAt: timeOrNull(uninstalledAt),
        lastMessageAt: timeOrNull(lastMessageAt),
      },
      ...lines.map(([name, value]) => `${name.padEnd(13)}  ${value}`),
    );
  },
});
