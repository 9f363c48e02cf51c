// Starts the viewer once its own script, which is loaded without blocking, has run.
addEventListener("DOMContentLoaded", () => {
  globalThis.SwaggerUIBundle({
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
