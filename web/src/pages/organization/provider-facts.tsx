import type { SignOnSettings } from "@lossless/client";

/** The provider, for people who may not change it. */
export function ProviderFacts({ settings }: { settings: SignOnSettings | null }) {
  if (settings === null) return <p class="none">No identity provider is set up.</p>;
  const { name, issuer, clientId, publicClient, domains, roles, defaultRole, forced } = settings;
  const facts: readonly [name: string, value: string][] = [
    ["Name", name],
    ["Issuer", issuer],
    ["Client id", clientId],
    ["Client secret", publicClient ? "none: a public client" : "set"],
    ["Domains", domains.join(", ")],
    ["Groups", roles.map(({ group, role }) => `${group}: ${role}`).join(", ") || "none"],
    ["Everyone else", defaultRole ?? "refused"],
    ["Passwords", forced ? "for owners only" : "for everyone who has one"],
  ];
  return (
    <dl class="known" aria-label="Identity provider">
      {facts.flatMap(([fact, value]) => [
        <dt key={fact}>{fact}</dt>,
        <dd key={`${fact} value`}>
          <bdi>{value}</bdi>
        </dd>,
      ])}
    </dl>
  );
}
