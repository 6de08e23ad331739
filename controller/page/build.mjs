// Bundles the page into dist/: one script, one style sheet, one document.
import { build } from "esbuild";
import { cp, mkdir, rm } from "node:fs/promises";

await rm("dist", { recursive: true, force: true });
await mkdir("dist");
await build({
  entryPoints: ["src/main.ts"],
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  outfile: "dist/display.js",
  legalComments: "linked",
  logLevel: "warning",
});
await cp("style.css", "dist/style.css");
await cp("index.html", "dist/index.html");
