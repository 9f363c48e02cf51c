import { defineCertificateChange } from "./define-certificate-change.ts";

export const certificateNewLink = defineCertificateChange({
  name: "certificate new-link",
  description: "replace the verification link of a certificate; the old link stops working",
  changes: "a certificate",
  preview: (certificate) => `replace the link of ${certificate}, whose present link would stop working`,
  apply: ({ links }, target) => links.replaceLink(target),
  more: ({ verifyUrl }) => [verifyUrl],
});
