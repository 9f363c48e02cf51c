import { describe, expect, test } from "vitest";
import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import { createPageStore, eventsOf, type LinkedCertificate, openPagesRig } from "../harness/pages-rig.ts";

const rig = await openPagesRig();
const storeId = await createPageStore(rig);

const chrome = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/153.0.0.0 Safari/537.36";

type Headers = Readonly<Record<string, string>>;

const post = ({ url }: LinkedCertificate, headers: Headers) => fetch(`${url}/opened`, { method: "POST", headers });
const image = ({ url }: LinkedCertificate, headers: Headers) => fetch(`${url}/opened.gif`, { headers });

const verified = [EventType.ISSUED, EventType.VERIFIED];

describe("records that a person has opened the page when the report comes from", () => {
  test.each([
    ["the page's script", post, {}],
    [
      "the page's script, in a browser that sends Sec-Fetch headers",
      post,
      { "sec-fetch-site": "same-origin", "sec-fetch-dest": "empty" },
    ],
    ["the page's image", image, {}],
    [
      "the page's image, in a browser that sends Sec-Fetch headers",
      image,
      { "sec-fetch-site": "same-origin", "sec-fetch-dest": "image" },
    ],
  ])("%s", async (_name, open, headers) => {
    const certificate = await rig.issue(storeId);
    expect((await open(certificate, { "user-agent": chrome, ...headers })).ok).toBe(true);
    expect(await eventsOf(rig, certificate.certificateId)).toEqual(verified);
  });
});

const programs = [
  "facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)",
  "facebookexternalhit/1.1 Facebot Twitterbot/1.0",
  "Twitterbot/1.0",
  "WhatsApp/2.23.20.0 A",
  "TelegramBot (like TwitterBot)",
  "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)",
  "Slack-ImgProxy (+https://api.slack.com/robots)",
  "Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)",
  "LinkedInBot/1.0 (compatible; Mozilla/5.0; Apache-HttpClient +http://www.linkedin.com)",
  "Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5",
  "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
  "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm) Chrome/136.0.0.0 Safari/537.36",
  "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_5) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/13.1.1 Safari/605.1.15 (Applebot/0.1; +http://www.apple.com/go/applebot)",
  "curl/8.5.0",
  "",
];

describe("records no opening by a bot or another automated client", () => {
  test.each(programs)("%s", async (agent) => {
    const certificate = await rig.issue(storeId);
    for (const open of [post, image]) expect((await open(certificate, { "user-agent": agent })).ok).toBe(true);
    expect(await eventsOf(rig, certificate.certificateId)).toEqual([EventType.ISSUED]);
  });
});

describe("records nothing for a request", () => {
  test.each<[string, Headers]>([
    ["for a prefetched and prerendered page", { "sec-purpose": "prefetch;prerender" }],
    ["for a page that an older browser prefetches", { purpose: "prefetch" }],
    ["for a preview", { "x-purpose": "preview" }],
    ["for a page that an older Firefox prefetches", { "x-moz": "prefetch" }],
    ["from another site", { "sec-fetch-site": "cross-site" }],
    ["from the address bar", { "sec-fetch-site": "none", "sec-fetch-dest": "document" }],
  ])("%s", async (_name, headers) => {
    const certificate = await rig.issue(storeId);
    for (const open of [post, image]) await open(certificate, { "user-agent": chrome, ...headers });
    expect(await eventsOf(rig, certificate.certificateId)).toEqual([EventType.ISSUED]);
  });
});

test("records one event for 100 simultaneous openings by people and automated clients through two edges", async () => {
  const certificate = await rig.issue(storeId);
  const other = { ...certificate, url: `${await rig.openEdge()}/${certificate.linkToken}` };
  const responses = await Promise.all(
    Array.from({ length: 100 }, (_, index) => {
      const agent = index % 4 === 0 ? (programs[index % programs.length] ?? "") : chrome;
      const open = index % 3 === 0 ? image : post;
      return open(index % 2 === 0 ? certificate : other, { "user-agent": agent });
    }),
  );
  expect(responses.map(({ ok }) => ok)).not.toContain(false);
  expect(await eventsOf(rig, certificate.certificateId)).toEqual(verified);
});

test("answers 404 for an unknown link, and 405 for a method that the path does not allow", async () => {
  const { url } = await rig.issue(storeId);
  const headers = { "user-agent": chrome };
  expect((await fetch(`${rig.verifyUrl}/${"0".repeat(26)}/opened`, { method: "POST", headers })).status).toBe(404);
  const refused = await fetch(`${url}/opened`, { headers });
  expect([refused.status, refused.headers.get("allow")]).toEqual([405, "POST"]);
  const posted = await fetch(url, { method: "POST", headers });
  expect([posted.status, posted.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
});
