// Starts the viewer once its own script, which is loaded without blocking, has run.
addEventListener("DOMContentLoaded", () => {
  globalThis.SwaggerUIBundle({
    // Relative, so that the page works behind an ingress that adds a path prefix.
    url: "../v1/openapi.json",
    dom_id: "#viewer",
    validatorUrl: null,
    deepLinking: true,
    supportedSubmitMethods: ["get", "head"],
    defaultModelsExpandDepth: 0,
    // Its colors are inline styles, which no style sheet can adapt to the reader's color scheme.
    syntaxHighlight: { activated: false },
  });
});
