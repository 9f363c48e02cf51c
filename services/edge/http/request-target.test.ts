import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseRequestTarget } from "./request-target.ts";

describe("parseRequestTarget", () => {
  test.each([
    ["/v1/certificates", "/v1/certificates", ""],
    ["/v1/certificates?", "/v1/certificates", ""],
    ["/v1/certificates?a=b", "/v1/certificates", "a=b"],
    ["/v1/certificates?a=b?c", "/v1/certificates", "a=b?c"],
    ["/v1/certificates?order=#1", "/v1/certificates", "order=#1"],
    ["/v1/certificates#a?b", "/v1/certificates%23a", "b"],
    ["/v1/certificates%3Fa=b", "/v1/certificates%3Fa=b", ""],
    ["/v1/certificates%zz", "/v1/certificates%zz", ""],
    ["/v1/certificates\u00a0", "/v1/certificates%23", ""],
    ["//v1/certificates", "//v1/certificates", ""],
    ["http://api.example/v1/certificates?a=b", "/v1/certificates", "a=b"],
    ["HTTPS://api.example:443/v1/certificates", "/v1/certificates", ""],
    ["http://api.example", "/", ""],
    ["http://api.example?a=b", "/", "a=b"],
    ["http://[::1", "/", ""],
    ["coap+tcp://[::1/x", "/x", ""],
    ["/http://api.example/v1", "/http://api.example/v1", ""],
    ["*", "/*", ""],
    ["", "/", ""],
  ])("splits %j into the path %j and the query %j", (target, path, rawQuery) => {
    expect(parseRequestTarget(target)).toEqual({ path, rawQuery });
  });

  test("returns, for any text, a path of visible ASCII characters without ? or #", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (target) => {
        expect(parseRequestTarget(target).path).toMatch(/^\/[\x21-\x22\x24-\x3e\x40-\x7e]*$/);
      }),
    );
  });
});
