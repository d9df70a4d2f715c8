/** `npm run test:long`: the suites of the pages whose cases are very many, with all of them. */
import { runSuites } from "./pages-suite.ts";

process.env.LOSSLESS_TEST_EVERY_CASE = "1";
runSuites("{exactness,exact-runs,hostile,keyboard,every-page}.test.ts");
