// Bundles the page into dist/: one script, one style sheet, one document.
import { build } from "esbuild";
import { cp, mkdir, rm } from "node:fs/promises";

const common = { bundle: true, minify: true, target: "es2022", logLevel: "warning" };

await rm("dist", { recursive: true, force: true });
await mkdir("dist");
await build({ ...common, entryPoints: ["src/main.ts"], format: "esm", outfile: "dist/display.js", legalComments: "linked" });
await build({ ...common, entryPoints: ["styles/all.css"], outfile: "dist/style.css", external: ["./font/*"] });
await cp("index.html", "dist/index.html");
await cp("font", "dist/font", { recursive: true, filter: (source) => !source.endsWith(".py") });
