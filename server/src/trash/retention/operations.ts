import { listRules } from "./rule.ts";
import { changeRule, createRule, deleteRule } from "./set.ts";
import { ruleLooked, takeFinds } from "./take.ts";
import { tryRule } from "./try.ts";

export const retentionWrites = {
  "retention.create": createRule,
  "retention.change": changeRule,
  "retention.delete": deleteRule,
  "retention.take": takeFinds,
  "retention.looked": ruleLooked,
};

export const retentionReads = { "retention.list": listRules };

export const retentionReplies = { "retention.try": tryRule };
