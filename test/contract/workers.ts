/**
 * The contract of points on a directory and two workers, in one process; scripts/test.ts runs it as
 * a suite. Quotas are as exact as docs/decisions/0025-several-servers.md says, and left out.
 */
import { runTopics } from "./topics.ts";

runTopics("workers", "{metrics,trash,console,attempts}-*");
