import { Command } from "commander";
import { expect, test } from "vitest";
import { buildCertctl } from "../certctl.ts";
import { optionOfField } from "./option-of-field.ts";

const program = await buildCertctl();

function commandNamed(name: string): Command {
  return name
    .split(" ")
    .reduce((group, word) => group.commands.find((child) => child.name() === word) ?? new Command(), program);
}

test.each([
  ["certificate issue", "buyer.email", "--email"],
  ["certificate issue", "buyer.name", "--name"],
  ["certificate issue", "product.title", "--title"],
  ["certificate issue", "expires_at", "--expires"],
  ["certificate issue", "idempotency_key", "--idempotency-key"],
  ["certificate transfer", "new_owner_email", "--email"],
  ["certificate transfer", "new_owner_name", "--name"],
  ["certificate revoke", "reason", "--reason"],
  ["sample create", "products[0].title", "--title"],
  ["settings set", "verify_base_url", "--verify-base-url"],
  ["settings set", "display_name", "--display-name"],
  ["key roll", "grace_period", "--grace"],
  ["key roll", "key_id", "<key-id>"],
  ["webhook set", "url", "<url>"],
  ["storefront rules set", "rules[3].valid_days", "--valid-days"],
  ["storefront rules set", "rules[3].name", "<name>"],
  ["certificate issue", "order.id", undefined],
])("certctl %s sets the field %s by %s", (command, field, option) => {
  expect(optionOfField(commandNamed(command), field)).toBe(option);
});
