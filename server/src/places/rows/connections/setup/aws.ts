import { framed } from "./script-frame.ts";
import type { SetupTerms } from "./script-terms.ts";

/**
 * An OpenID Connect provider for the issuer, which all connections of the account share, and a role
 * that only tokens for this audience AND this subject may assume.
 */
export function awsSetup(terms: SetupTerms): string {
  return framed("aws", terms, {
    program: "aws",
    programUrl: "https://aws.amazon.com/cli/",
    functions,
  });
}

/**
 * Actions allowed on buckets, whose names are this connection's own, and on their objects. A
 * bucket's name can be taken by any account once it is free, so objects are allowed in buckets of
 * this account alone: signed addresses name no owner. Calls to buckets do
 * (x-amz-expected-bucket-owner), and a missing bucket has no account to compare, so the condition
 * would turn the 404 that PUT waits for into 403.
 */
const bucketActions = [
  "s3:CreateBucket",
  "s3:DeleteBucket",
  "s3:ListBucket",
  "s3:ListBucketMultipartUploads",
  "s3:PutBucketCORS",
  "s3:PutBucketPublicAccessBlock",
  "s3:PutLifecycleConfiguration",
];
const objectActions = [
  "s3:AbortMultipartUpload",
  "s3:DeleteObject",
  "s3:GetObject",
  "s3:ListMultipartUploadParts",
  "s3:PutObject",
];
/**
 * Lifetime of sessions: four hours, since signed addresses live 60 minutes and end with the session
 * that signed them.
 */
const sessionSeconds = 14_400;

const functions = `export AWS_PAGER=''
ISSUER_KEY="\${ISSUER#*://}"

look() {
  local caller
  caller="$(aws sts get-caller-identity --query Arn --output text)"
  ACCOUNT="$(aws sts get-caller-identity --query Account --output text)"
  PARTITION="$(printf '%s' "$caller" | cut -d: -f2)"
  case "$ACCOUNT:$PARTITION" in
    *[!0-9]*:* | *:*[!a-z-]* | :* | *:) stop "This is not an AWS account: $caller" ;;
  esac
  PROVIDER="arn:$PARTITION:iam::$ACCOUNT:oidc-provider/$ISSUER_KEY"
  ROLE="arn:$PARTITION:iam::$ACCOUNT:role/$NAME"
  CALLER="$caller"
}

say() {
  cat <<TEXT
In the AWS account $ACCOUNT, as $CALLER, this will
- make the OpenID Connect provider $ISSUER (audience $AUDIENCE), unless it is there;
- make or correct the role $NAME, which only $SUBJECT may assume;
- allow it to make, fill and remove buckets called $NAME-*, and nothing else.
TEXT
}

change() {
  local trust policy buckets
  trust='{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"Federated":"'"$PROVIDER"'"},'
  trust+='"Action":"sts:AssumeRoleWithWebIdentity","Condition":{"StringEquals":{'
  trust+='"'"$ISSUER_KEY"':aud":"'"$AUDIENCE"'","'"$ISSUER_KEY"':sub":"'"$SUBJECT"'"}}}]}'
  buckets="arn:$PARTITION:s3:::$NAME-*"
  policy='{"Version":"2012-10-17","Statement":['
  policy+='{"Effect":"Allow","Action":${JSON.stringify(bucketActions)},"Resource":"'"$buckets"'"},'
  policy+='{"Effect":"Allow","Action":${JSON.stringify(objectActions)},"Resource":"'"$buckets/*"'",'
  policy+='"Condition":{"StringEquals":{"aws:ResourceAccount":"'"$ACCOUNT"'"}}}]}'

  if is_there NoSuchEntity aws iam get-open-id-connect-provider --open-id-connect-provider-arn "$PROVIDER"; then
    aws iam add-client-id-to-open-id-connect-provider --open-id-connect-provider-arn "$PROVIDER" --client-id "$AUDIENCE"
  else
    aws iam create-open-id-connect-provider --url "$ISSUER" --client-id-list "$AUDIENCE" >/dev/null
  fi
  if is_there NoSuchEntity aws iam get-role --role-name "$NAME"; then
    aws iam update-assume-role-policy --role-name "$NAME" --policy-document "$trust"
    aws iam update-role --role-name "$NAME" --max-session-duration ${sessionSeconds} >/dev/null
  else
    patiently aws iam create-role --role-name "$NAME" --assume-role-policy-document "$trust" \\
      --max-session-duration ${sessionSeconds} --description 'Lossless keeps artifacts in buckets of this name' >/dev/null
  fi
  aws iam put-role-policy --role-name "$NAME" --policy-name lossless-buckets --policy-document "$policy"

  COMPLETE="--role-arn $ROLE"
  BODY='{"cloud":"aws","aws":{"roleArn":"'"$ROLE"'"}}'
}`;
