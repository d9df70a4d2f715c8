/**
 * `npm run test:frameworks`: unmodified libraries that import `wandb` themselves, from PyPI, record
 * here with LOSSLESS_AS_WANDB=1, and what is stored is compared with what each library kept itself.
 * It fails where they cannot be installed.
 *
 *   npm run test:frameworks -- lightning keras     only these
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { installClient, pythonWith } from "../python/environment.ts";
import { organizations, Service } from "../service.ts";

const python = pythonWith("frameworks", [join(import.meta.dirname, "requirements.txt")]);
installClient(python);
await using service = await Service.start();
const chosen = process.argv.slice(2).flatMap((word) => ["-k", word]);
const child = spawn(python, ["-m", "unittest", "-v", "suite", ...chosen], {
  cwd: import.meta.dirname,
  stdio: "inherit",
  env: {
    ...process.env,
    PYTHONDONTWRITEBYTECODE: "1",
    LOSSLESS_URL: service.baseUrl,
    LOSSLESS_API_KEY: organizations.acme.key,
  },
});
const [status] = (await once(child, "exit")) as [number | null];
process.exitCode = status ?? 1;
