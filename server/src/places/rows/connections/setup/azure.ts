import { framed } from "./script-frame.ts";
import type { SetupTerms } from "./script-terms.ts";

/**
 * An application of the tenant with a federated credential for this issuer, audience AND subject,
 * and no secret; and a resource group in which it may keep storage accounts.
 */
export function azureSetup(terms: SetupTerms): string {
  return framed("azure", terms, {
    program: "az",
    programUrl: "https://learn.microsoft.com/cli/azure/install-azure-cli",
    functions,
  });
}

/**
 * Roles on the resource group alone: storage accounts in it, and the contents of their containers.
 * Deleting a version of a blob takes the Owner of its data; a Contributor deletes the current one
 * only.
 */
const roles = ["Storage Account Contributor", "Storage Blob Data Owner"];

const functions = `# Where the record of the resource group is kept; each bucket has a region of its own.
REGION="\${LOSSLESS_AZURE_REGION:-eastus}"

look() {
  TENANT="$(az account show --query tenantId --output tsv)"
  SUBSCRIPTION="$(az account show --query id --output tsv)"
  case "$TENANT:$SUBSCRIPTION" in
    *[!0-9a-fA-F:-]* | :* | *:) stop 'Sign in and choose a subscription: az login, az account set --subscription ID.' ;;
  esac
  case "$REGION" in
    '' | *[!a-z0-9]*) stop 'LOSSLESS_AZURE_REGION is not the name of a region.' ;;
  esac
  SCOPE="/subscriptions/$SUBSCRIPTION/resourceGroups/$NAME"
}

say() {
  cat <<TEXT
In the Azure subscription $SUBSCRIPTION of the tenant $TENANT this will
- make the application $NAME, which has no secret; tokens of $ISSUER
  (audience $AUDIENCE) for $SUBJECT alone may act for it;
- make the resource group $NAME (in $REGION), unless it is there;
- allow the application to make, fill and remove storage accounts in that resource group, and nothing else.
TEXT
}

change() {
  local application principal state
  application="$(the_application)"
  refuse_a_stranger "$application"
  make_credential "$application"
  principal="$(az ad sp list --filter "appId eq '$application'" --query '[].id' --output tsv --only-show-errors)"
  if [ -z "$principal" ]; then
    principal="$(patiently az ad sp create --id "$application" --query id --output tsv --only-show-errors)"
  fi
  state="$(az provider show --namespace Microsoft.Storage --subscription "$SUBSCRIPTION" \\
    --query registrationState --output tsv)"
  if [ "$state" != Registered ]; then
    az provider register --namespace Microsoft.Storage --subscription "$SUBSCRIPTION" --wait --only-show-errors
  fi
  if [ "$(az group exists --name "$NAME" --subscription "$SUBSCRIPTION")" != true ]; then
    az group create --name "$NAME" --location "$REGION" --subscription "$SUBSCRIPTION" --output none
  fi
${roles.map((role) => `  allow "$principal" '${role}'`).join("\n")}

  COMPLETE="--tenant-id $TENANT --client-id $application --subscription-id $SUBSCRIPTION --resource-group $NAME"
  BODY='{"cloud":"azure","azure":{"tenantId":"'"$TENANT"'","clientId":"'"$application"'",'
  BODY+='"subscriptionId":"'"$SUBSCRIPTION"'","resourceGroup":"'"$NAME"'"}}'
}

# Prints the id of the application. Names of applications are not unique: with two of this name nobody could say which is meant.
the_application() {
  local found
  found="$(az ad app list --display-name "$NAME" --query "[?displayName=='$NAME'].appId" --output tsv)"
  if [ -z "$found" ]; then
    found="$(az ad app create --display-name "$NAME" --sign-in-audience AzureADMyOrg --query appId --output tsv \\
      --only-show-errors)"
  fi
  case "$found" in
    '' | *[!0-9a-fA-F-]*) stop "There has to be one application called $NAME, got: $found" ;;
  esac
  printf '%s' "$found"
}

# Anybody in a tenant may register an application, of any name. One that somebody else can sign in to gets no rights.
refuse_a_stranger() {
  local secrets certificates others
  secrets="$(patiently az ad app credential list --id "$1" --query '[].keyId' --output tsv --only-show-errors)"
  certificates="$(az ad app credential list --id "$1" --cert --query '[].keyId' --output tsv --only-show-errors)"
  others="$(az ad app federated-credential list --id "$1" --query "[?name!='$NAME'].name" --output tsv \\
    --only-show-errors)"
  if [ -n "$secrets$certificates$others" ]; then
    stop "The application $NAME ($1) has credentials that this script did not make: another person can act as it. Remove" \\
      'them, or the application, check its owners, and run the script again.'
  fi
}

make_credential() {
  local credential found
  credential='{"name":"'"$NAME"'","issuer":"'"$ISSUER"'","subject":"'"$SUBJECT"'",'
  credential+='"audiences":["'"$AUDIENCE"'"],"description":"Lossless"}'
  found="$(patiently az ad app federated-credential list --id "$1" --query "[?name=='$NAME'].id" --output tsv)"
  if [ -n "$found" ]; then
    az ad app federated-credential update --id "$1" --federated-credential-id "$NAME" --parameters "$credential" \\
      --only-show-errors --output none
  else
    az ad app federated-credential create --id "$1" --parameters "$credential" --only-show-errors --output none
  fi
}

allow() {
  local found
  found="$(az role assignment list --assignee "$1" --role "$2" --scope "$SCOPE" --query '[].id' --output tsv \\
    --only-show-errors)"
  if [ -n "$found" ]; then return 0; fi
  patiently az role assignment create --assignee-object-id "$1" --assignee-principal-type ServicePrincipal \\
    --role "$2" --scope "$SCOPE" --only-show-errors --output none
}`;
