// Builds the report's script and style into internal/report/assets, where the
// binary embeds them. The output depends on nothing but the sources and the
// locked packages, so that a second build gives the same bytes.
import { readFile, writeFile, mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const out = join(here, "..", "internal", "report", "assets");

const result = await build({
  absWorkingDir: here,
  entryPoints: { report: "src/page/main.ts" },
  outdir: out,
  bundle: true,
  minify: true,
  charset: "utf8",
  format: "iife",
  target: ["es2022"],
  legalComments: "none",
  metafile: true,
  loader: { ".css": "css" },
});
await mkdir(out, { recursive: true });
await writeFile(join(out, "THIRD-PARTY.txt"), await notice(packagesOf(result.metafile)));

/** packagesOf lists the npm packages whose code is in the bundle. */
function packagesOf(metafile) {
  const names = new Set();
  for (const output of Object.values(metafile.outputs)) {
    for (const [file, { bytesInOutput }] of Object.entries(output.inputs)) {
      const match = /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file);
      if (match && bytesInOutput > 0) names.add(match[1]);
    }
  }
  return [...names].sort();
}

/** notice joins the licences of the bundled packages. */
async function notice(names) {
  let text = "The report's script and style contain these packages:\n";
  for (const name of names) {
    const folder = join(here, "node_modules", name);
    const { version, license } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
    text += `\n${"-".repeat(72)}\n${name} ${version} (${license})\n\n${(await readFile(join(folder, "LICENSE"), "utf8")).trim()}\n`;
  }
  return text;
}
