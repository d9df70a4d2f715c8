import {
  type CreateRetentionRuleBody,
  type RetentionRule,
  ruleWords,
  type TriedRetentionRule,
} from "@lossless/client";
import { useState } from "preact/hooks";
import type { PathProps } from "../../page.ts";
import { Age } from "../../parts/age.tsx";
import { AskOnce } from "../../parts/ask-once.tsx";
import { Listing } from "../../parts/listing.tsx";
import { Problem } from "../../parts/problem.tsx";
import { useAct } from "../../parts/use-act.ts";
import { useAnswer } from "../../parts/use-answer.ts";
import { isAtLeast } from "../../rights.ts";
import { Folders } from "../experiments/folder-lines.ts";
import { OrganizationPage } from "./organization-page.tsx";
import { RuleForm } from "./rule-form.tsx";
import { TriedRule } from "./tried-rule.tsx";

/** `/organization/rules` */
export function RulesPage({ service }: PathProps) {
  const { retention, trash, views } = service.client;
  const isAdmin = isAtLeast(service.session.role, "admin");
  const { found, problem, again } = useAnswer(
    async () => ({
      rules: await retention.list(),
      days: (await trash.settings()).days,
      folders: isAdmin ? new Folders((await views.folders()).folders) : undefined,
    }),
    [retention, isAdmin],
  );
  /** What is being changed; `times` makes an empty form of one whose rule was set. */
  const [form, setForm] = useState<{ given?: RetentionRule; times: number }>({ times: 0 });
  const [tried, setTried] = useState<{ name: string; tried: TriedRetentionRule }>();
  const [removing, setRemoving] = useState<RetentionRule>();
  const [said, setSaid] = useState("");
  const trying = useAct();
  const tryRule = async ({ name, rule }: CreateRetentionRuleBody, id?: string) =>
    setTried({ name, tried: await retention.try(rule, id) });
  const leave = () => setForm(({ times }) => ({ times: times + 1 }));
  const set = async (body: CreateRetentionRuleBody) => {
    const { given } = form;
    await (given === undefined ? retention.create(body) : retention.change(given, body));
    setSaid(`The rule ${body.name} is set: what it finds goes to the trash from now on.`);
    leave();
    await again();
  };
  return (
    <OrganizationPage name="Rules" service={service}>
      <p class="soft">
        What a rule finds goes to the <a href="/organization/trash">trash</a> by itself, looked for
        every hour, and can be restored for {found === undefined ? "its" : found.days} days. Where a
        folder or a path has rules of its own, those above do not reach; what was restored no rule
        takes again. {!isAdmin && "Admins and owners set them."}
      </p>
      <Problem text={problem ?? trying.problem} />
      <p role="status">{said}</p>
      {found === undefined ? (
        <p class="waiting">Reading …</p>
      ) : (
        <>
          <RuleList
            rules={found.rules}
            isBusy={trying.isBusy}
            onTry={(rule) => void trying.act(() => tryRule(rule, rule.id))}
            onChange={
              isAdmin ? (given) => setForm(({ times }) => ({ given, times: times + 1 })) : undefined
            }
            onRemove={setRemoving}
          />
          {found.folders !== undefined && (
            <RuleForm
              key={form.times}
              folders={found.folders}
              given={form.given}
              onTry={(body) => tryRule(body, form.given?.id)}
              onSet={set}
              onLeave={leave}
            />
          )}
        </>
      )}
      {tried !== undefined && <TriedRule {...tried} onClose={() => setTried(undefined)} />}
      {removing !== undefined && (
        <AskOnce
          title={`Remove the rule ${removing.name}?`}
          verb="Remove"
          onConfirm={async () => {
            await retention.delete(removing);
            setSaid(`The rule ${removing.name} is removed.`);
            if (form.given?.id === removing.id) leave();
            await again();
          }}
          onClose={() => setRemoving(undefined)}
        >
          <p>It takes nothing more. What it took stays in the trash until its day.</p>
        </AskOnce>
      )}
    </OrganizationPage>
  );
}

interface ListProps {
  rules: readonly RetentionRule[];
  isBusy: boolean;
  onTry: (rule: RetentionRule) => void;
  /** Undefined: the role sets and removes none. */
  onChange: ((rule: RetentionRule) => void) | undefined;
  onRemove: (rule: RetentionRule) => void;
}

function RuleList({ rules, isBusy, onTry, onChange, onRemove }: ListProps) {
  return (
    <Listing
      label="Rules"
      columns={["name", "takes", "set by", "looked for", ""]}
      rows={rules.map((rule) => ({
        key: rule.id,
        cells: [
          <span class="name">
            <bdi>{rule.name}</bdi>
          </span>,
          <bdi>{ruleWords(rule)}</bdi>,
          <bdi>{rule.changedBy}</bdi>,
          <Age
            at={rule.lookedAtMs === null ? null : new Date(rule.lookedAtMs).toISOString()}
            never="not yet"
          />,
          <span class="actions">
            <button
              type="button"
              aria-label={`Try ${rule.name}`}
              disabled={isBusy}
              onClick={() => onTry(rule)}
            >
              Try
            </button>
            {onChange !== undefined && (
              <>
                <button
                  type="button"
                  aria-label={`Change ${rule.name}`}
                  onClick={() => onChange(rule)}
                >
                  Change
                </button>
                <button
                  type="button"
                  aria-label={`Remove ${rule.name}`}
                  onClick={() => onRemove(rule)}
                >
                  Remove
                </button>
              </>
            )}
          </span>,
        ],
      }))}
      empty="There is no rule: nothing goes to the trash by itself."
    />
  );
}
