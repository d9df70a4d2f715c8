import { framed } from "./script-frame.ts";
import { isPublicName } from "./issuer-reach.ts";
import type { SetupTerms } from "./script-terms.ts";

/**
 * Returns the script for a workload identity pool whose one provider accepts tokens for this
 * audience AND this subject, and a service account that only this subject may act for. Where the
 * issuer is not public, its keys are uploaded with the provider.
 */
export function gcpSetup(terms: SetupTerms): string {
  const uploads = !isPublicName(new URL(terms.issuer).hostname);
  return framed("gcp", terms, {
    program: "gcloud",
    programUrl: "https://cloud.google.com/sdk/docs/install",
    functions: uploadChoice(uploads) + openWay(terms.baseUrl) + functions,
  });
}

/**
 * Warns of an unencrypted way: a party that altered the keys on their way would be trusted by the
 * project.
 */
function openWay(baseUrl: string): string {
  const { protocol, hostname } = new URL(baseUrl);
  const isSafe = protocol === "https:" || /^(localhost|127\.[\d.]+|\[::1\])$/.test(hostname);
  return `KEYS_BY_OPEN_WAY='${isSafe ? "" : "1"}'\n`;
}

/**
 * Permission to make a bucket. It is checked at the project, where no name of a bucket could limit
 * it, and gives no access to other buckets.
 */
const makingPermissions = ["storage.buckets.create"];
/** All other permissions, under a condition on the bucket's name. */
const usingPermissions = [
  "storage.buckets.delete",
  "storage.buckets.get",
  "storage.multipartUploads.abort",
  "storage.multipartUploads.create",
  "storage.multipartUploads.list",
  "storage.multipartUploads.listParts",
  "storage.objects.create",
  "storage.objects.delete",
  "storage.objects.get",
  "storage.objects.list",
];
const services = [
  "cloudresourcemanager.googleapis.com",
  "iam.googleapis.com",
  "iamcredentials.googleapis.com",
  "storage.googleapis.com",
  "sts.googleapis.com",
];

const uploadChoice = (uploads: boolean) => `
# 1: Google Cloud cannot fetch the issuer's keys, so they are fetched here and uploaded. They then have to be uploaded
# again, by running this again, within 90 days, before the service signs with the next key.
UPLOAD_KEYS="\${LOSSLESS_UPLOAD_KEYS:-${uploads ? "1" : ""}}"
`;

const functions = `ROLE_ID="$(printf '%s' "$NAME" | tr - _)"

look() {
  PROJECT="\${LOSSLESS_GCP_PROJECT:-$(gcloud config get-value project 2>/dev/null || true)}"
  case "$PROJECT" in
    '' | '(unset)' | *[!a-z0-9-]*) stop 'Choose a project: gcloud config set project ID, or LOSSLESS_GCP_PROJECT=ID.' ;;
  esac
  if [ "$UPLOAD_KEYS$KEYS_BY_OPEN_WAY" = 11 ]; then
    stop "The issuer's keys would come from $BASE_URL without https, and could be replaced on the way. Give the service an https base URL, or publish its two documents with --issuer-url."
  fi
  NUMBER="$(gcloud projects describe "$PROJECT" --format='value(projectNumber)')"
  case "$NUMBER" in
    '' | *[!0-9]*) stop "The project $PROJECT has no number." ;;
  esac
  EMAIL="$NAME@$PROJECT.iam.gserviceaccount.com"
  MEMBER="principal://iam.googleapis.com/projects/$NUMBER/locations/global/workloadIdentityPools/$NAME/subject/$SUBJECT"
}

say() {
  cat <<TEXT
In the Google Cloud project $PROJECT (number $NUMBER) this will
- switch on the interfaces of IAM, security tokens and storage;
- make or correct the workload identity pool $NAME with one provider, which takes tokens
  of $ISSUER (audience $AUDIENCE) for $SUBJECT alone;
- make the service account $EMAIL, which only that subject may be;
- allow it to make buckets, and to fill and remove those called $NAME-*, and nothing else.
TEXT
}

change() {
  gcloud services enable ${services.join(" ")} --project="$PROJECT" --quiet
  make_provider
  make_account
  make_role "$ROLE_ID" 'Lossless: uses its buckets' '${usingPermissions.join(",")}'
  make_role "\${ROLE_ID}_new" 'Lossless: makes its buckets' '${makingPermissions.join(",")}'
  grant "$ROLE_ID" "title=lossless,expression=resource.name.startsWith(\\"projects/_/buckets/$NAME-\\")"
  grant "\${ROLE_ID}_new" None
  let_in roles/iam.workloadIdentityUser
  let_in roles/iam.serviceAccountTokenCreator

  COMPLETE="--project-id $PROJECT --project-number $NUMBER --pool-id $NAME --provider-id $NAME"
  COMPLETE+=" --service-account-email $EMAIL"
  BODY='{"cloud":"gcp","gcp":{"projectId":"'"$PROJECT"'","projectNumber":"'"$NUMBER"'","poolId":"'"$NAME"'",'
  BODY+='"providerId":"'"$NAME"'","serviceAccountEmail":"'"$EMAIL"'"}}'
}

make_provider() {
  local how=create-oidc keys
  local pool=(--workload-identity-pool="$NAME" --location=global --project="$PROJECT")
  local terms=(--issuer-uri="$ISSUER" --allowed-audiences="$AUDIENCE")
  terms+=(--attribute-mapping=google.subject=assertion.sub --attribute-condition="assertion.sub=='$SUBJECT'")
  if [ "$UPLOAD_KEYS" = 1 ]; then
    keys="$(mktemp)"
    curl --fail --silent --show-error --max-time 30 --output "$keys" "$BASE_URL/.well-known/jwks.json"
    terms+=(--jwk-json-path="$keys")
  fi
  if ! is_there NOT_FOUND gcloud iam workload-identity-pools describe "$NAME" --location=global --project="$PROJECT"; then
    gcloud iam workload-identity-pools create "$NAME" --location=global --project="$PROJECT" \\
      --display-name=Lossless --quiet
  fi
  if is_there NOT_FOUND gcloud iam workload-identity-pools providers describe "$NAME" "\${pool[@]}"; then
    how=update-oidc
  fi
  patiently gcloud iam workload-identity-pools providers "$how" "$NAME" "\${pool[@]}" "\${terms[@]}" --quiet
  if [ "$UPLOAD_KEYS" = 1 ]; then rm -f "$keys"; fi
}

make_account() {
  if is_there NOT_FOUND gcloud iam service-accounts describe "$EMAIL" --project="$PROJECT"; then return 0; fi
  gcloud iam service-accounts create "$NAME" --project="$PROJECT" --display-name=Lossless --quiet
}

make_role() {
  local how=create
  if is_there NOT_FOUND gcloud iam roles describe "$1" --project="$PROJECT"; then how=update; fi
  gcloud iam roles "$how" "$1" --project="$PROJECT" --title="$2" --permissions="$3" --stage=GA --quiet >/dev/null
}

grant() {
  patiently gcloud projects add-iam-policy-binding "$PROJECT" --member="serviceAccount:$EMAIL" \\
    --role="projects/$PROJECT/roles/$1" --condition="$2" --quiet >/dev/null
}

let_in() {
  patiently gcloud iam service-accounts add-iam-policy-binding "$EMAIL" --project="$PROJECT" --member="$MEMBER" \\
    --role="$1" --condition=None --quiet >/dev/null
}`;
