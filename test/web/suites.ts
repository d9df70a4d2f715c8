/** The suites of the pages, in one process; scripts/test.ts runs it as one suite. */
import { runSuites } from "./pages-suite.ts";

runSuites();
