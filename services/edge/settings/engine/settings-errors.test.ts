import { expect, test } from "vitest";
import { supportedLanguages } from "#shared/texts/languages.ts";
import { textsFor } from "#shared/texts/texts.ts";
import { exchange, request } from "../../testing/raw-http.ts";
import { openTestEdge } from "../../testing/start-edge.ts";

const adminUrl = "https://admin.example.test/apps/certificates?a=1&b=2";
const edges = {
  linked: await openTestEdge({ settingsSignInUrl: adminUrl }),
  plain: await openTestEdge(),
};

test.each(supportedLanguages)(
  "a page without a session links to the platform's admin if it is known: %s",
  async (language) => {
    const text = textsFor(language);
    const open = ({ port }: { readonly port: number }) => request(port, `GET /settings?lang=${language}`, []);
    const { status, body } = await open(edges.linked);
    expect(status).toBe(401);
    expect(body).toContain(
      `href="${adminUrl.replace("&", "&amp;")}" target="_top">${text("settings.shell.openAdmin")}</a>`,
    );
    const plain = await open(edges.plain);
    expect(plain.status).toBe(401);
    expect(plain.body).not.toContain("target=");
    expect(plain.body).toContain(text("settings.shell.problem.signedOut.explanation"));
  },
);

test("a form that arrives too slowly gets a page that says so, and speaks of this sending only: the change may have been made before", async () => {
  const head = "POST /settings/sign-in/csl_1 HTTP/1.1\r\nHost: edge\r\nConnection: close\r\n";
  const form = "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 10\r\n\r\na";
  const { replies } = await exchange(edges.plain.port, head + form);
  expect(replies).toMatchObject([{ status: 408 }]);
  expect(replies[0]?.body).toContain(textsFor("en")("settings.shell.problem.slow.title"));
  expect(replies[0]?.body).toContain("If you have sent the form before, check first whether it took effect.");
});
