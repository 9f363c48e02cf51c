import { expect, test } from "vitest";
import { queuedNotice } from "./page.ts";

const noticeOf = (query: string) => queuedNotice({ query: new URLSearchParams(query), language: "en" });

test.each(["0", "5", "1000"])("says how many events were queued: %s", (count) => {
  expect(noticeOf(`done=queued&count=${count}`)).toBeTypeOf("string");
});

test.each(["count=999999999", "count=1001", "count=-1", "count=1.5", "count=1e99", "count=x", ""])(
  "repeats no number of a link that no form can have queued: %s",
  (query) => {
    expect(noticeOf(query)).toBeUndefined();
  },
);
