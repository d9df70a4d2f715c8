import assert from "node:assert/strict";
import { test } from "node:test";
import { limits, type Role } from "@lossless/protocol";
import { readAudit } from "../../../database/audit/audit.ts";
import { onEachDatabase } from "../../../database/databases.fixture.ts";
import { failsWith, type TestNode } from "../../../database/node.fixture.ts";
import { findCredential, type PersonCredential } from "../organizations/credential.ts";
import { listOrganizations } from "../organizations/organization.ts";
import { hashSecret, isApiKey, isSecretOf } from "../../../ground/secrets.ts";
import { acceptInvitation, findInvitation } from "./accept-invitation.ts";
import { bootstrap } from "./bootstrap.ts";
import { forgetEnded } from "./forget-ended.ts";
import {
  createInvitation,
  issueInvitation,
  listInvitations,
  revokeInvitation,
} from "./invitations.ts";
import { changeRole, listPeople, removePerson } from "./memberships.ts";
import { changePassword } from "./password.ts";
import { createToken } from "./personal-tokens.ts";
import { findForSignIn } from "./person.ts";
import { createSession, endSession } from "./sessions.ts";

const address = "192.0.2.1";
const device = "a browser";

onEachDatabase((fresh) => {
  const node = fresh.node();
  // Two connections of one process to SQLite would only meet at its lock.
  const other = fresh.dialect === "postgres" ? fresh.node() : node;

  const uniqueEmail = () => `${crypto.randomUUID()}@acme.test`;

  /** Joins by an invitation of the operator; the password's "hash" is the text itself. */
  async function join(organizationId: string, role: Role, email = uniqueEmail()) {
    const operator = { actor: "operator", address: null };
    const link = { organizationId, email: null, role, ...operator };
    const { secret } = await node.write(issueInvitation, link);
    const hash = hashSecret(secret);
    const needed = await node.read(findInvitation, { hash, email });
    const password =
      needed.use === "set"
        ? { use: "set" as const, hash: `hash of ${email}` }
        : { use: "compare" as const, seen: needed.seen[0] };
    return node.write(acceptInvitation, { hash, email, password, address, device });
  }

  async function find(
    secret: string,
    kind: "session" | "oauth" | "personal_token" = "session",
    organization?: string,
  ) {
    const question = { kind, hash: hashSecret(secret), organization: organization ?? null };
    return (await node.read(findCredential, question)) as PersonCredential | null;
  }

  const signIn = (personId: string, seenPassword: string, organizationId?: string) =>
    node.write(createSession, { personId, seenPassword, organizationId, address, device });

  test("the first start makes one organization, its key and a link for its owner, on one node", async () => {
    const nodes = [node, other, node, other];
    const made = await Promise.all(nodes.map((one) => one.write(bootstrap, {})));
    const [created, ...more] = made.filter((one) => one !== null);
    assert.equal(more.length, 0);
    const { key, setupSecret } = created;
    assert.ok(isApiKey(key.secret) && isSecretOf(setupSecret, "in_"));
    const organizations = await node.read((reader) => listOrganizations(reader), {});
    const { id } = key.organization;
    assert.deepEqual(organizations, [{ id, name: "default", isDeleted: false }]);
    const hash = hashSecret(setupSecret);
    node.nowMs += limits.setupLinkLifetimeMs;
    await assert.rejects(
      node.read(findInvitation, { hash, email: "ada@acme.test" }),
      failsWith("unauthorized"),
    );
    node.nowMs -= 1;
    const password = { use: "set" as const, hash: "h" };
    const input = { hash, email: "Ada@Acme.test", password, address, device };
    const session = await node.write(acceptInvitation, input);
    assert.deepEqual(session.organization, { id: key.organization.id, name: "default" });
    const [person] = await node.read(listPeople, { organizationId: key.organization.id });
    assert.deepEqual([person?.email, person?.role], ["ada@acme.test", "owner"]);
    await assert.rejects(node.write(acceptInvitation, input), failsWith("unauthorized"));
  });

  test("a session is found with the role of now, until it ends", async () => {
    const organizationId = await node.newOrganization();
    const { secret, person, expiresAtMs } = await join(organizationId, "admin");
    assert.deepEqual(await find(secret), {
      kind: "session",
      personId: person.id,
      email: person.email,
      expiresAtMs,
      grantId: null,
      tokenId: null,
      scope: "role",
      onlyOrganization: null,
      lastUsedAtMs: node.nowMs,
      organization: { id: organizationId, name: organizationId, role: "admin" },
    });
    const boss = await join(organizationId, "owner");
    const actor = { actor: boss.person.id, address };
    const demoted = { organizationId, personId: person.id, role: "member" as const, ...actor };
    assert.equal((await node.write(changeRole, demoted)).role, "member");
    assert.equal((await find(secret))?.organization?.role, "member");
    await node.write(removePerson, { organizationId, personId: person.id, ...actor });
    assert.equal(await find(secret), null);
    node.nowMs = expiresAtMs - 1;
    assert.ok(await find(boss.secret));
    node.nowMs = expiresAtMs;
    assert.equal(await find(boss.secret), null);
    await node.write(endSession, { hash: hashSecret(boss.secret), address });
    await node.write(endSession, { hash: hashSecret(boss.secret), address });
    assert.equal(await find(boss.secret), null);
  });

  test("a personal token ends at its time, and one without an end does not", async () => {
    const organizationId = await node.newOrganization();
    const { person } = await join(organizationId, "member");
    const body = {
      organizationId,
      name: "jobs",
      scope: "read" as const,
      actor: person.id,
      address,
    };
    const { secret, token } = await node.write(createToken, { ...body, days: 1 });
    const endless = await node.write(createToken, { ...body, days: null });
    node.nowMs = Date.parse(token.expires!) - 1;
    assert.equal((await find(secret, "personal_token"))?.scope, "read");
    node.nowMs++;
    assert.equal(await find(secret, "personal_token"), null);
    assert.ok(await find(endless.secret, "personal_token"));
  });

  test("a password is changed and used only while it is the one that was compared", async () => {
    const organizationId = await node.newOrganization();
    const { secret, person } = await join(organizationId, "member");
    const old = `hash of ${person.email}`;
    const keptSession = hashSecret(secret);
    const change = {
      personId: person.id,
      seenPassword: old,
      password: "new",
      keptSession,
      address,
    };
    await node.write(changePassword, change);
    await assert.rejects(node.write(changePassword, change), failsWith("unauthorized"));
    await assert.rejects(signIn(person.id, old, organizationId), failsWith("unauthorized"));
    await signIn(person.id, "new", organizationId);
  });

  test("the last owner can be neither demoted nor removed, also by two at once", async () => {
    const organizationId = await node.newOrganization();
    const [ada, bo] = [await join(organizationId, "owner"), await join(organizationId, "owner")];
    const demote = (actor: string, personId: string, on: TestNode) =>
      on.write(changeRole, { organizationId, personId, role: "member", actor, address });
    const both = await Promise.allSettled([
      demote(ada.person.id, bo.person.id, node),
      demote(bo.person.id, ada.person.id, other),
    ]);
    assert.deepEqual(both.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
    const people = await node.read(listPeople, { organizationId });
    const [owner, ...more] = people.filter(({ role }) => role === "owner");
    assert.ok(owner !== undefined && more.length === 0);
    const self = { organizationId, personId: owner.id, actor: owner.id, address };
    await assert.rejects(node.write(changeRole, { ...self, role: "admin" }), failsWith("conflict"));
    await assert.rejects(node.write(removePerson, self), failsWith("conflict"));
    assert.equal((await node.write(changeRole, { ...self, role: "owner" })).role, "owner");
  });

  test("owners are made and touched by owners, and nobody by members", async () => {
    const organizationId = await node.newOrganization();
    const roles = ["owner", "admin", "member"] as const;
    const [owner, admin, member] = await Promise.all(
      roles.map((role) => join(organizationId, role)),
    );
    const change = (actor: typeof owner, person: typeof owner, role: Role) =>
      node.write(changeRole, {
        organizationId,
        personId: person.person.id,
        role,
        actor: actor.person.id,
        address,
      });
    const invite = (actor: typeof owner, role: Role) =>
      node.write(createInvitation, {
        organizationId,
        email: null,
        role,
        actor: actor.person.id,
        address,
      });
    for (const attempt of [
      () => change(admin, owner, "member"),
      () => change(admin, member, "owner"),
      () => change(member, member, "admin"),
      () => invite(admin, "owner"),
      () => invite(member, "member"),
    ]) {
      await assert.rejects(attempt, failsWith("forbidden"));
    }
    const stranger = await join(await node.newOrganization(), "owner");
    await assert.rejects(change(stranger, member, "admin"), failsWith("forbidden"));
    await assert.rejects(change(owner, stranger, "admin"), failsWith("not_found"));
    const { invitation } = await invite(owner, "owner");
    const revoke = (actor: typeof owner, organization = organizationId) =>
      node.write(revokeInvitation, {
        organizationId: organization,
        id: invitation.id,
        actor: actor.person.id,
        address,
      });
    await assert.rejects(revoke(admin), failsWith("forbidden"));
    await assert.rejects(revoke(stranger, stranger.organization?.id), failsWith("not_found"));
    assert.deepEqual(await node.read(listInvitations, { organizationId }), [invitation]);
    await revoke(owner);
    await assert.rejects(revoke(owner), failsWith("not_found"));
    assert.deepEqual(await node.read(listInvitations, { organizationId }), []);
    assert.equal((await change(owner, member, "owner")).role, "owner");
  });

  test("an invitation works once, for its address, and only with the right password of who is known", async () => {
    const organizationId = await node.newOrganization();
    const { person: owner } = await join(organizationId, "owner");
    const email = uniqueEmail();
    const issue = (to: string | null, role: Role = "member") =>
      node.write(createInvitation, {
        organizationId,
        email: to,
        role,
        actor: owner.id,
        address,
      });
    const first = hashSecret((await issue(email.toUpperCase())).secret);
    await assert.rejects(
      node.read(findInvitation, { hash: first, email: uniqueEmail() }),
      failsWith("forbidden"),
    );
    assert.deepEqual(await node.read(findInvitation, { hash: first, email }), { use: "set" });
    const accept = (hash: Uint8Array, password: { use: "set"; hash: string }, on = node) =>
      on.write(acceptInvitation, { hash, email, password, address, device });
    const set = { use: "set" as const, hash: "first" };
    const once = await Promise.allSettled([accept(first, set), accept(first, set, other)]);
    assert.deepEqual(once.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);

    const again = hashSecret((await issue(null, "admin")).secret);
    const compare = { use: "compare" as const, seen: "first" };
    const needed = { use: "compare", seen: ["first"], otherwise: "refuse" };
    assert.deepEqual(await node.read(findInvitation, { hash: again, email }), needed);
    await assert.rejects(accept(again, { ...set, hash: "stolen" }), failsWith("unauthorized"));
    const known = { hash: again, email, password: compare, address, device };
    await node.write(acceptInvitation, known);
    const people = await node.read(listPeople, { organizationId });
    assert.equal(people.find((one) => one.email === email)?.role, "admin");

    const lower = hashSecret((await issue(null, "member")).secret);
    await node.write(acceptInvitation, { ...known, hash: lower });
    const after = await node.read(listPeople, { organizationId });
    assert.equal(after.find((one) => one.email === email)?.role, "admin", "the higher role stays");

    const late = hashSecret((await issue(null)).secret);
    node.nowMs += limits.invitationLifetimeMs;
    await assert.rejects(
      node.read(findInvitation, { hash: late, email }),
      failsWith("unauthorized"),
    );
  });

  test("whoever took an address elsewhere is another person; one who was removed comes back anew", async () => {
    const [acme, rival] = await Promise.all([1, 2].map(() => node.newOrganization()));
    const [ada, rita] = await Promise.all([acme, rival].map((one) => join(one, "owner")));
    const email = uniqueEmail();
    const link = async (organizationId: string, actor: string, to: string | null) => {
      const input = { organizationId, email: to, role: "member" as const, actor, address };
      return hashSecret((await node.write(createInvitation, input)).secret);
    };
    const accept = (hash: Uint8Array, use: "set" | "apart", password: string) =>
      node.write(acceptInvitation, {
        hash,
        email,
        password: { use, hash: password },
        address,
        device,
      });
    const squatter = await accept(await link(rival, rita.person.id, null), "set", "squatter's");

    // A link without an address does not vouch for one.
    const open = await link(acme, ada.person.id, null);
    const refusal = { use: "compare", seen: ["squatter's"], otherwise: "refuse" };
    assert.deepEqual(await node.read(findInvitation, { hash: open, email }), refusal);
    await assert.rejects(accept(open, "apart", "x"), failsWith("unauthorized"));

    const own = await link(acme, ada.person.id, email);
    const apart = { ...refusal, otherwise: "apart" };
    assert.deepEqual(await node.read(findInvitation, { hash: own, email }), apart);
    await assert.rejects(accept(own, "set", "x"), failsWith("unauthorized"));
    const { person, organization } = await accept(own, "apart", "owner's");
    assert.deepEqual([person.email, organization?.id], [email, acme]);
    assert.notEqual(person.id, squatter.person.id);
    const memberships = async () =>
      (await node.read(findForSignIn, { email, organization: acme })).map((one) => [
        one.person.password,
        ...one.organizations.map(({ id }) => id),
      ]);
    assert.deepEqual(await memberships(), [
      ["owner's", acme],
      ["squatter's", rival],
    ]);
    const emails = async (organizationId: string) =>
      (await node.read(listPeople, { organizationId })).map((one) => one.email);
    assert.ok((await emails(acme)).includes(email));
    assert.ok((await emails(rival)).includes(email));

    // No second word of the same organization, and none of the other against its own member.
    for (const [where, by] of [
      [acme, ada.person.id],
      [rival, rita.person.id],
    ] as const) {
      const hash = await link(where, by, email);
      const needed = await node.read(findInvitation, { hash, email });
      assert.equal(needed.use === "compare" && needed.otherwise, "refuse");
      await assert.rejects(accept(hash, "apart", "x"), failsWith("unauthorized"));
    }
    const removal = { organizationId: acme, personId: person.id, actor: ada.person.id, address };
    await node.write(removePerson, removal);
    const back = await accept(await link(acme, ada.person.id, email), "apart", "another");
    assert.equal(back.person.id, person.id);
    assert.deepEqual((await memberships())[0], ["another", acme]);
  });

  const losses: { loss: string; from: Role; now: Role | undefined; open: Role[] }[] = [
    { loss: "an owner becomes admin", from: "owner", now: "admin", open: ["admin", "member"] },
    { loss: "an owner becomes member", from: "owner", now: "member", open: [] },
    { loss: "an admin becomes member", from: "admin", now: "member", open: [] },
    { loss: "an admin becomes owner", from: "admin", now: "owner", open: ["admin", "member"] },
    { loss: "an owner is removed", from: "owner", now: undefined, open: [] },
  ];
  for (const { loss, from, now, open } of losses) {
    test(`links live no longer than their maker's right to make them: ${loss}`, async () => {
      const organizationId = await node.newOrganization();
      const { person: owner } = await join(organizationId, "owner");
      const { person: maker } = await join(organizationId, from);
      const makeable = (["owner", "admin", "member"] as const).filter(
        (role) => from === "owner" || role !== "owner",
      );
      const links = new Map<Role, Uint8Array>();
      for (const role of makeable) {
        const input = { organizationId, email: null, role, actor: maker.id, address };
        links.set(role, hashSecret((await node.write(createInvitation, input)).secret));
      }
      const by = { actor: owner.id, address };
      const others = { organizationId, email: null, role: "owner" as const, ...by };
      const { invitation: kept } = await node.write(createInvitation, others);
      const who = { organizationId, personId: maker.id, ...by };
      if (now === undefined) await node.write(removePerson, who);
      else await node.write(changeRole, { ...who, role: now });
      const listed = await node.read(listInvitations, { organizationId });
      assert.deepEqual(
        listed
          .filter(({ id }) => id !== kept.id)
          .map(({ role }) => role)
          .sort(),
        makeable.filter((role) => open.includes(role)).sort(),
      );
      assert.ok(listed.some(({ id }) => id === kept.id));
      for (const [role, hash] of links) {
        const password = { use: "set" as const, hash: "h" };
        const taken = node.write(acceptInvitation, {
          hash,
          email: uniqueEmail(),
          password,
          address,
          device,
        });
        if (open.includes(role)) await taken;
        else await assert.rejects(taken, failsWith("unauthorized"));
      }
    });
  }

  test("the operator's link sets a password anew, and ends what stood on the old one", async () => {
    const organizationId = await node.newOrganization();
    const { secret: session, person } = await join(organizationId, "member");
    const { email } = person;
    const links = await Promise.all(
      [1, 2].map(() =>
        node.write(issueInvitation, {
          organizationId,
          email,
          role: "member",
          personId: person.id,
          actor: "operator",
          address: null,
        }),
      ),
    );
    assert.deepEqual(await node.read(listInvitations, { organizationId }), []);
    const [hash, second] = links.map(({ secret }) => hashSecret(secret)) as [
      Uint8Array,
      Uint8Array,
    ];
    assert.deepEqual(await node.read(findInvitation, { hash, email }), { use: "set" });
    assert.ok(await find(session));
    const password = { use: "set" as const, hash: "anew" };
    const signedIn = await node.write(acceptInvitation, { hash, email, password, address, device });
    assert.equal(await find(session), null);
    assert.ok(await find(signedIn.secret));
    await signIn(person.id, "anew", organizationId);
    await assert.rejects(
      node.read(findInvitation, { hash: second, email }),
      failsWith("unauthorized"),
    );
  });

  test("an organization has at most so many open invitations", async () => {
    const organizationId = await node.newOrganization();
    const { person: owner } = await join(organizationId, "owner");
    const most = limits.openInvitationsPerOrganizationMax;
    await node.database.write(async (transaction) => {
      for (let index = 0; index < most; index += 1) {
        await transaction.run(
          `INSERT INTO invitation (id, hash, organization, role, created_by, created_at_ms, expires_at_ms)
           VALUES ($1, $2, $3, 'member', $4, 0, $5)`,
          `${organizationId} ${index}`,
          hashSecret(`${organizationId} ${index}`),
          organizationId,
          owner.id,
          node.nowMs + 1,
        );
      }
    });
    const by = { actor: owner.id, address };
    const input = { organizationId, email: null, role: "member" as const, ...by };
    await assert.rejects(node.write(createInvitation, input), failsWith("conflict"));
    await node.write(revokeInvitation, { organizationId, id: `${organizationId} 0`, ...by });
    await node.write(createInvitation, input);
    await assert.rejects(node.write(createInvitation, input), failsWith("conflict"));
    node.nowMs += 1;
    await node.write(createInvitation, input);
  });

  test("a person has at most so many sessions: the next one ends the oldest", async () => {
    const { secret: first, person } = await join(await node.newOrganization(), "member");
    const password = `hash of ${person.email}`;
    const secrets: string[] = [first];
    for (let index = 1; index < limits.sessionsPerPersonMax; index += 1) {
      node.nowMs += 1;
      secrets.push((await signIn(person.id, password)).secret);
    }
    assert.ok(await find(first));
    node.nowMs += 1;
    secrets.push((await signIn(person.id, password)).secret);
    assert.equal(await find(first), null);
    for (const secret of secrets.slice(1)) assert.ok(await find(secret));
  });

  test("what ended is forgotten after a month, what lives is not", async () => {
    const organizationId = await node.newOrganization();
    const { person } = await join(organizationId, "owner");
    const addGrant = async (id: string, endedAtMs: string, expiresAtMs: number) => {
      await node.execute(
        `INSERT INTO oauth_grant (id, person, created_at_ms, ended_at_ms) VALUES ($1, $2, 0, ${endedAtMs})`,
        id,
        person.id,
      );
      await node.database.write((transaction) =>
        transaction.run(
          `INSERT INTO oauth_token (hash, oauth_grant, kind, created_at_ms, expires_at_ms)
           VALUES ($1, $2, 'refresh', 0, $3)`,
          hashSecret(id),
          id,
          expiresAtMs,
        ),
      );
    };
    const day = 24 * 60 * 60 * 1_000;
    const start = node.nowMs;
    const ids = ["ended", "expired", "living"].map((word) => `${word} ${person.id}`);
    await addGrant(ids[0], String(start), start + 1_000 * day);
    await addGrant(ids[1], "NULL", start);
    await addGrant(ids[2], "NULL", start + 1_000 * day);
    const addToken = (id: string, expiresAtMs: number | null, endedAtMs: number | null) =>
      node.database.write((transaction) =>
        transaction.run(
          `INSERT INTO personal_token (id, hash, organization, person, name, scope, created_by,
             created_at_ms, expires_at_ms, ended_at_ms)
           VALUES ($1, $2, $3, $4, 'a job', 'read', $4, 0, $5, $6)`,
          id,
          hashSecret(`pt ${id}`),
          organizationId,
          person.id,
          expiresAtMs,
          endedAtMs,
        ),
      );
    await addToken(ids[0], null, start);
    await addToken(ids[1], start, null);
    await addToken(ids[2], null, null);
    const rows = async () => {
      const counts: Record<string, number> = {};
      for (const [name, sql] of [
        ["sessions", "SELECT hash FROM session WHERE person = $1"],
        ["grants", "SELECT id FROM oauth_grant WHERE person = $1"],
        [
          "tokens",
          "SELECT hash FROM oauth_token WHERE oauth_grant IN (SELECT id FROM oauth_grant WHERE person = $1)",
        ],
        ["personal", "SELECT id FROM personal_token WHERE person = $1"],
        ["invitations", "SELECT id FROM invitation WHERE organization = $1"],
      ] as const) {
        counts[name] = (
          await node.all(sql, name === "invitations" ? organizationId : person.id)
        ).length;
      }
      return counts;
    };
    const forget = async () => {
      while ((await node.write(forgetEnded, { limit: 2 })) === 2);
    };
    await forget();
    const all = { sessions: 1, grants: 3, tokens: 3, personal: 3, invitations: 1 };
    assert.deepEqual(await rows(), all);
    node.nowMs = start + 30 * day;
    await forget();
    assert.deepEqual(await rows(), all);
    node.nowMs += 1;
    await forget();
    assert.deepEqual(await rows(), {
      sessions: 1,
      grants: 1,
      tokens: 1,
      personal: 1,
      invitations: 0,
    });
    node.nowMs += limits.sessionLifetimeMs;
    await forget();
    assert.deepEqual(await rows(), {
      sessions: 0,
      grants: 1,
      tokens: 1,
      personal: 1,
      invitations: 0,
    });
  });

  test("what happens is in the audit log, without a secret", async () => {
    const organizationId = await node.newOrganization();
    const ada = await join(organizationId, "owner");
    const bo = await join(organizationId, "member");
    const by = { actor: ada.person.id, address };
    await node.write(changeRole, { organizationId, personId: bo.person.id, role: "admin", ...by });
    await node.write(removePerson, { organizationId, personId: bo.person.id, ...by });
    await node.write(endSession, { hash: hashSecret(ada.secret), address });
    const events = await node.read(readAudit, { organizationId, before: null, limit: 100 });
    const words = events.map(({ action }) => action).sort();
    assert.deepEqual(words, [
      "invitation.accepted",
      "invitation.accepted",
      "invitation.created",
      "invitation.created",
      "membership.changed",
      "membership.ended",
      "session.created",
      "session.created",
      "session.ended",
    ]);
    assert.ok(!JSON.stringify(events).includes(ada.secret));
    const [newest] = events;
    assert.ok(newest !== undefined);
    const older = await node.read(readAudit, { organizationId, before: newest.id, limit: 100 });
    assert.deepEqual(older, events.slice(1));
  });
});
