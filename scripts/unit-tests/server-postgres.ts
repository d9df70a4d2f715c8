/** The server's tests beside the code, on PostgreSQL; scripts/test.ts runs them as one suite. */
import { importPostgresTests } from "./import-tests.ts";

process.env.LOSSLESS_TEST_BACKENDS ??= "postgres";
await importPostgresTests();
