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
import { countedText } from "../../parts/words.ts";
import { isAtLeast, mayWrite } from "../../rights.ts";
import type { Service } from "../../signed-in.ts";
import { Folders } from "../experiments/folder-lines.ts";
import { OrganizationPage } from "./organization-page.tsx";
import { isNever } from "./rule-body.ts";
import { RuleForm } from "./rule-form.tsx";
import { TriedRule } from "./tried-rule.tsx";

/** `/organization/rules` */
export function RulesPage({ service }: PathProps) {
  const { retention } = service.client;
  const isAdmin = isAtLeast(service.session.role, "admin");
  const { found, problem, again } = useRules(service, isAdmin);
  /** The rule being changed; a new `times` resets the form after a rule was set. */
  const [form, setForm] = useState<{ given?: RetentionRule; times: number }>({ times: 0 });
  const [tried, setTried] = useState<{ name: string; tried: TriedRetentionRule }>();
  const [removing, setRemoving] = useState<RetentionRule>();
  const [said, setSaid] = useState("");
  const trying = useAct();
  const tryRule = async ({ name, rule }: CreateRetentionRuleBody, id?: string) =>
    setTried({ name, tried: await retention.try(rule, id) });
  const change = (given: RetentionRule) => setForm(({ times }) => ({ given, times: times + 1 }));
  const leave = () => setForm(({ times }) => ({ times: times + 1 }));
  const set = async (body: CreateRetentionRuleBody) => {
    const { given } = form;
    await (given === undefined ? retention.create(body) : retention.change(given, body));
    const taken = isNever(body.rule)
      ? "it moves nothing to the trash"
      : "what it finds moves to the trash from now on";
    setSaid(`The rule ${body.name} was set: ${taken}.`);
    leave();
    await again();
  };
  const remove = async (rule: RetentionRule) => {
    await retention.delete(rule);
    setSaid(`The rule ${rule.name} was removed.`);
    if (form.given?.id === rule.id) leave();
    await again();
  };
  return (
    <OrganizationPage name="Rules" service={service}>
      <RulesIntroduction {...{ days: found?.days, isAdmin }} />
      <Problem text={problem ?? trying.problem} />
      <p role="status">{said}</p>
      {found === undefined ? (
        <p class="waiting">Loading …</p>
      ) : (
        <>
          <RuleList
            rules={found.rules}
            isBusy={trying.isBusy}
            mayTry={mayWrite(service)}
            onTry={(rule) => void trying.act(() => tryRule(rule, rule.id))}
            onChange={isAdmin ? change : undefined}
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
        <RemoveQuestion
          name={removing.name}
          onConfirm={() => remove(removing)}
          onClose={() => setRemoving(undefined)}
        />
      )}
    </OrganizationPage>
  );
}

/** Reads the rules; folders only for those who may set rules. */
function useRules({ client: { retention, trash, views } }: Service, isAdmin: boolean) {
  return useAnswer(
    async () => ({
      rules: await retention.list(),
      days: (await trash.settings()).days,
      folders: isAdmin ? new Folders((await views.folders()).folders) : undefined,
    }),
    [retention, trash, views, isAdmin],
  );
}

interface QuestionProps {
  name: string;
  onConfirm: () => Promise<unknown>;
  onClose: () => void;
}

function RemoveQuestion({ name, ...asked }: QuestionProps) {
  return (
    <AskOnce title={`Remove the rule ${name}?`} verb="Remove" {...asked}>
      <p>
        The rule moves nothing more to the trash. What it has already moved stays there until it is
        removed for good.
      </p>
    </AskOnce>
  );
}

function RulesIntroduction({ days, isAdmin }: { days: number | undefined; isAdmin: boolean }) {
  return (
    <p class="soft">
      Every hour, rules move what they find to the <a href="/organization/trash">trash</a>, where
      you can restore it for {days === undefined ? "some days" : countedText(days, "day")}. If a
      folder or a path has its own rules, the rules of folders and paths above it do not apply. No
      rule moves a restored item again. {!isAdmin && "Admins and owners set rules."}
    </p>
  );
}

interface ListProps {
  rules: readonly RetentionRule[];
  isBusy: boolean;
  mayTry: boolean;
  onTry: (rule: RetentionRule) => void;
  /** Undefined: the role may not set or remove rules. */
  onChange: ((rule: RetentionRule) => void) | undefined;
  onRemove: (rule: RetentionRule) => void;
}

function RuleList({ rules, isBusy, mayTry, onTry, onChange, onRemove }: ListProps) {
  return (
    <Listing
      label="Rules"
      columns={["name", "moves to the trash", "set by", "last checked", ""]}
      rows={rules.map((rule) => ({
        key: rule.id,
        cells: [
          <span class="name">
            <bdi>{rule.name}</bdi>
          </span>,
          <bdi class="words">{ruleWords(rule)}</bdi>,
          <bdi>{rule.changedBy}</bdi>,
          <Age
            at={rule.lookedAtMs === null ? null : new Date(rule.lookedAtMs).toISOString()}
            never="not yet"
          />,
          <span class="actions">
            {mayTry && (
              <button
                type="button"
                aria-label={`Try ${rule.name}`}
                disabled={isBusy}
                onClick={() => onTry(rule)}
              >
                Try
              </button>
            )}
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
      empty="No rules: nothing moves to the trash automatically."
    />
  );
}
