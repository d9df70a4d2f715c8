/** Advice for --database-url, by the failure of TLS or of its absence. */
const advice: readonly [RegExp, string][] = [
  [
    /^(UNABLE_TO_(VERIFY_LEAF_SIGNATURE|GET_ISSUER_CERT(_LOCALLY)?)|SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|CERT_SIGNATURE_FAILURE)$/,
    "sslrootcert=FILE names the authority that signed it; sslmode=require alone does not verify",
  ],
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    "connect by a name that the certificate has; sslmode=verify-ca does not compare it",
  ],
  [/does not support SSL connections/, "sslmode=disable connects without it"],
  [/no pg_hba\.conf entry .*no encryption$/, "sslmode=require or verify-full encrypts"],
];

/** Begins with a space; empty where the error is not of TLS. */
export function tlsAdvice(error: Error & { code?: unknown }): string {
  const found = advice.find(([pattern]) =>
    [String(error.code), error.message].some((text) => pattern.test(text)),
  );
  return found === undefined ? "" : ` (${found[1]})`;
}
