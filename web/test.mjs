// Runs the unit tests: bundles every *.test.ts below src for Node and hands them to
// its test runner.
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const out = await mkdtemp(join(tmpdir(), "plimsoll-web-"));
const tests = (await readdir(join(here, "src"), { recursive: true })).filter((name) => name.endsWith(".test.ts"));
await build({
  absWorkingDir: here,
  entryPoints: tests.map((name) => join("src", name)),
  outdir: out,
  outExtension: { ".js": ".mjs" },
  bundle: true,
  format: "esm",
  platform: "node",
  target: ["node20"],
});
const run = spawnSync(process.execPath, ["--test", out], { cwd: here, stdio: "inherit" });
await rm(out, { recursive: true });
process.exit(run.status ?? 1);
