import { describe, expect, test } from "vitest";
import { listReplyBody } from "./list-reply.ts";

describe("listReplyBody", () => {
  test("builds an empty last page", () => {
    expect(listReplyBody([], undefined).toString()).toBe('{"certificates":[],"next_cursor":null}');
  });

  test("copies the certificates' bytes exactly as the registry rendered them", () => {
    const rendered = ['{"id":"1", "n":1.50}', '{"title":"Zürich \\u00e9 🍋"}'].map((text) =>
      Buffer.from(text),
    );
    expect(listReplyBody(rendered, "AQ-_").toString()).toBe(
      '{"certificates":[{"id":"1", "n":1.50},{"title":"Zürich \\u00e9 🍋"}],"next_cursor":"AQ-_"}',
    );
  });

  test("builds valid JSON for any number of certificates", () => {
    for (const count of [1, 2, 100]) {
      const body = listReplyBody(Array(count).fill(Buffer.from('{"id":"x"}')), undefined);
      expect(JSON.parse(body.toString()).certificates).toHaveLength(count);
    }
  });
});
