import { flagged } from "../../database/operation.ts";
import { listRules } from "./rule.ts";
import { changeRule, createRule, deleteRule } from "./set.ts";
import { experimentsOf, ruleLooked, takeFinds } from "./take.ts";
import { tryRule } from "./try.ts";

export const retentionWrites = {
  "retention.create": createRule,
  "retention.change": changeRule,
  "retention.delete": deleteRule,
  "retention.take": flagged(takeFinds, { fresh: experimentsOf }),
  "retention.looked": ruleLooked,
};

export const retentionReads = { "retention.list": listRules };

export const retentionReplies = { "retention.try": tryRule };
