# Generated from protocol/ by `npm run generate`: do not edit.
"""Method and address of what programs call; the values of a query are its own."""

from __future__ import annotations

from .address import Endpoint, address, segment

def organization_events() -> Endpoint: return "POST", "/api/v2/events"
def experiment_events(experiment_id: str) -> Endpoint: return "POST", f"/api/v2/experiments/{segment(experiment_id)}/events"
def record_columns(experiment_id: str) -> Endpoint: return "POST", f"/api/v2/experiments/{segment(experiment_id)}/columns"
def query_series() -> Endpoint: return "POST", "/api/v2/query/series"
def auth_status() -> Endpoint: return "GET", "/api/v2/auth/status"
def open_artifact(*, artifact: str) -> Endpoint: return "POST", address("/api/v1/artifacts/open", artifact=artifact)
def begin_version(*, artifact: str, version: str) -> Endpoint: return "POST", address("/api/v1/versions/begin", artifact=artifact, version=version)
def resign_upload(*, artifact: str, upload: str) -> Endpoint: return "POST", address("/api/v1/versions/resign", artifact=artifact, upload=upload)
def commit_upload(*, artifact: str, upload: str) -> Endpoint: return "POST", address("/api/v1/versions/commit", artifact=artifact, upload=upload)
def read_version(*, artifact: str, version: str, urls: str | None = None, cloud: str | None = None, region: str | None = None, source: str | None = None) -> Endpoint: return "GET", address("/api/v1/versions/read", artifact=artifact, version=version, urls=urls, cloud=cloud, region=region, source=source)
def list_versions(*, artifact: str, after: str | None = None, urls: str | None = None, cloud: str | None = None, region: str | None = None, source: str | None = None) -> Endpoint: return "GET", address("/api/v1/versions/list", artifact=artifact, after=after, urls=urls, cloud=cloud, region=region, source=source)
def list_artifacts(*, under: str | None = None, after: str | None = None) -> Endpoint: return "GET", address("/api/v1/artifacts/list", under=under, after=after)
def read_note(*, artifact: str, note: str) -> Endpoint: return "GET", address("/api/v1/artifacts/note", artifact=artifact, note=note)
def write_note(*, artifact: str, note: str) -> Endpoint: return "PUT", address("/api/v1/artifacts/note", artifact=artifact, note=note)
def list_aliases(*, artifact: str) -> Endpoint: return "GET", address("/api/v1/artifacts/aliases", artifact=artifact)
def set_alias(*, artifact: str, alias: str) -> Endpoint: return "PUT", address("/api/v1/artifacts/alias", artifact=artifact, alias=alias)
def remove_alias(*, artifact: str, alias: str, expected: str | None = None) -> Endpoint: return "DELETE", address("/api/v1/artifacts/alias", artifact=artifact, alias=alias, expected=expected)
def list_alias_changes(*, artifact: str, alias: str | None = None, before: str | None = None) -> Endpoint: return "GET", address("/api/v1/artifacts/alias-history", artifact=artifact, alias=alias, before=before)
def list_models(*, search: str | None = None, after: str | None = None, limit: str | None = None) -> Endpoint: return "GET", address("/api/v1/models", search=search, after=after, limit=limit)
def read_model(*, model: str, before: str | None = None, limit: str | None = None) -> Endpoint: return "GET", address("/api/v1/models/model", model=model, before=before, limit=limit)
def change_model(*, model: str) -> Endpoint: return "PATCH", address("/api/v1/models/model", model=model)
def read_model_version(*, model: str, version: str) -> Endpoint: return "GET", address("/api/v1/models/version", model=model, version=version)
def link_version(*, model: str) -> Endpoint: return "POST", address("/api/v1/models/version", model=model)
def set_model_alias(*, model: str, alias: str) -> Endpoint: return "PUT", address("/api/v1/models/alias", model=model, alias=alias)
def remove_model_alias(*, model: str, alias: str, expected: str | None = None) -> Endpoint: return "DELETE", address("/api/v1/models/alias", model=model, alias=alias, expected=expected)
def list_model_alias_changes(*, model: str, before: str | None = None) -> Endpoint: return "GET", address("/api/v1/models/alias-history", model=model, before=before)
def read_run_lineage(*, experimentId: str) -> Endpoint: return "GET", address("/api/v1/lineage/run", experimentId=experimentId)
def read_version_lineage(*, artifact: str, version: str) -> Endpoint: return "GET", address("/api/v1/lineage/version", artifact=artifact, version=version)
def read_lineage_graph(*, experimentId: str | None = None, artifact: str | None = None, version: str | None = None, direction: str | None = None, depth: str | None = None, nodes: str | None = None) -> Endpoint: return "GET", address("/api/v1/lineage/graph", experimentId=experimentId, artifact=artifact, version=version, direction=direction, depth=depth, nodes=nodes)
def record_use() -> Endpoint: return "POST", "/api/v1/lineage/uses"
def read_organization() -> Endpoint: return "GET", "/api/v1/org"
def create_connection() -> Endpoint: return "POST", "/api/v1/connections"
def complete_connection(*, id: str) -> Endpoint: return "PUT", address("/api/v1/connections", id=id)
def delete_connection(*, id: str) -> Endpoint: return "DELETE", address("/api/v1/connections", id=id)
def create_location() -> Endpoint: return "POST", "/api/v1/locations"
def update_location(*, id: str) -> Endpoint: return "PATCH", address("/api/v1/locations", id=id)
def read_mlflow_locations() -> Endpoint: return "GET", "/api/v1/mlflow-locations"
def set_mlflow_locations() -> Endpoint: return "PUT", "/api/v1/mlflow-locations"
def read_usage(*, days: str | None = None) -> Endpoint: return "GET", address("/api/v1/usage", days=days)
def list_api_keys() -> Endpoint: return "GET", "/api/v1/api-keys"
def create_api_key() -> Endpoint: return "POST", "/api/v1/api-keys"
def revoke_api_key(*, id: str) -> Endpoint: return "DELETE", address("/api/v1/api-keys", id=id)
def whoami() -> Endpoint: return "GET", "/api/v1/whoami"
def create_session() -> Endpoint: return "POST", "/api/v1/sessions"
def read_session() -> Endpoint: return "GET", "/api/v1/sessions"
def switch_organization() -> Endpoint: return "PATCH", "/api/v1/sessions"
def end_session() -> Endpoint: return "DELETE", "/api/v1/sessions"
def change_password() -> Endpoint: return "PUT", "/api/v1/password"
def erase_account() -> Endpoint: return "POST", "/api/v1/account/erase"
def list_organizations() -> Endpoint: return "GET", "/api/v1/organizations"
def list_people() -> Endpoint: return "GET", "/api/v1/people"
def change_role(*, id: str) -> Endpoint: return "PATCH", address("/api/v1/people", id=id)
def remove_person(*, id: str) -> Endpoint: return "DELETE", address("/api/v1/people", id=id)
def list_invitations() -> Endpoint: return "GET", "/api/v1/invitations"
def create_invitation() -> Endpoint: return "POST", "/api/v1/invitations"
def revoke_invitation(*, id: str) -> Endpoint: return "DELETE", address("/api/v1/invitations", id=id)
def accept_invitation() -> Endpoint: return "POST", "/api/v1/invitations/accept"
def read_audit(*, before: str | None = None) -> Endpoint: return "GET", address("/api/v1/audit", before=before)
def list_guest_links() -> Endpoint: return "GET", "/api/guests/v1/links"
def create_guest_link() -> Endpoint: return "POST", "/api/guests/v1/links"
def revoke_guest_link(*, id: str) -> Endpoint: return "DELETE", address("/api/guests/v1/links", id=id)
def set_guest_settings() -> Endpoint: return "PUT", "/api/guests/v1/settings"
def open_guest_link() -> Endpoint: return "POST", "/api/guests/v1/visit"
def read_guest_visit() -> Endpoint: return "GET", "/api/guests/v1/visit"
def oauth_metadata() -> Endpoint: return "GET", "/.well-known/oauth-authorization-server"
def oauth_token() -> Endpoint: return "POST", "/oauth/token"
def oauth_device() -> Endpoint: return "POST", "/oauth/device"
def oauth_revoke() -> Endpoint: return "POST", "/oauth/revoke"
def read_issuer() -> Endpoint: return "GET", "/.well-known/openid-configuration"
def read_issuer_keys() -> Endpoint: return "GET", "/.well-known/jwks.json"
def read_overview() -> Endpoint: return "POST", "/api/views/v1/overview"
def read_groups() -> Endpoint: return "POST", "/api/views/v1/groups"
def read_points() -> Endpoint: return "POST", "/api/views/v1/points"
def read_points_csv(*, experimentId: str | None = None, experimentIds: str | None = None, seriesName: str | None = None, seriesNames: str | None = None, operator: str | None = None, otherSeriesName: str | None = None, metadataKey: str | None = None, metadataValue: str | None = None, filter: str | None = None, xAxis: str, xSeriesName: str | None = None, start: str | None = None, end: str | None = None) -> Endpoint: return "GET", address("/api/views/v1/points.csv", experimentId=experimentId, experimentIds=experimentIds, seriesName=seriesName, seriesNames=seriesNames, operator=operator, otherSeriesName=otherSeriesName, metadataKey=metadataKey, metadataValue=metadataValue, filter=filter, xAxis=xAxis, xSeriesName=xSeriesName, start=start, end=end)
def read_changes() -> Endpoint: return "POST", "/api/views/v1/changes"
def wait_until() -> Endpoint: return "POST", "/api/views/v1/wait"
def read_table() -> Endpoint: return "POST", "/api/views/v1/experiments"
def read_experiment_groups() -> Endpoint: return "POST", "/api/views/v1/experiment-groups"
def read_table_csv(*, query: str | None = None, folderId: str | None = None, sort: str | None = None, columns: str | None = None, by: str | None = None) -> Endpoint: return "GET", address("/api/views/v1/experiments.csv", query=query, folderId=folderId, sort=sort, columns=columns, by=by)
def read_fields() -> Endpoint: return "POST", "/api/views/v1/fields"
def read_difference() -> Endpoint: return "POST", "/api/views/v1/difference"
def read_folders() -> Endpoint: return "GET", "/api/views/v1/folders"
def read_experiment_artifacts(*, experimentId: str) -> Endpoint: return "GET", address("/api/views/v1/experiment-artifacts", experimentId=experimentId)
def edit_experiment() -> Endpoint: return "PATCH", "/api/views/v1/experiment"
def read_new_annotations(*, experimentId: str, after: str | None = None, logged: str | None = None) -> Endpoint: return "GET", address("/api/views/v1/annotations", experimentId=experimentId, after=after, logged=logged)
def add_note() -> Endpoint: return "POST", "/api/views/v1/annotations"
def read_logged_names() -> Endpoint: return "POST", "/api/views/v1/logged-names"
def read_logged_steps() -> Endpoint: return "POST", "/api/views/v1/logged-steps"
def read_logged_nearest() -> Endpoint: return "POST", "/api/views/v1/logged-nearest"
def read_logged_items() -> Endpoint: return "POST", "/api/views/v1/logged-items"
def read_logged_texts() -> Endpoint: return "POST", "/api/views/v1/logged-texts"
def read_logged_histograms() -> Endpoint: return "POST", "/api/views/v1/logged-histograms"
def append_console(experiment_id: str) -> Endpoint: return "POST", f"/api/console/v1/experiments/{segment(experiment_id)}/lines"
def read_console() -> Endpoint: return "POST", "/api/console/v1/read"
def search_console() -> Endpoint: return "POST", "/api/console/v1/search"
def report_attempt(experiment_id: str) -> Endpoint: return "POST", f"/api/attempts/v1/experiments/{segment(experiment_id)}/report"
def read_attempts() -> Endpoint: return "POST", "/api/attempts/v1/read"
def export_points(*, query: str | None = None, folderId: str | None = None, experimentIds: str | None = None, seriesNames: str | None = None, filter: str | None = None) -> Endpoint: return "GET", address("/api/views/v1/points.parquet", query=query, folderId=folderId, experimentIds=experimentIds, seriesNames=seriesNames, filter=filter)
def export_experiments(*, query: str | None = None, folderId: str | None = None, experimentIds: str | None = None) -> Endpoint: return "GET", address("/api/views/v1/experiments.parquet", query=query, folderId=folderId, experimentIds=experimentIds)
def export_annotations(*, query: str | None = None, folderId: str | None = None, experimentIds: str | None = None) -> Endpoint: return "GET", address("/api/views/v1/annotations.parquet", query=query, folderId=folderId, experimentIds=experimentIds)
def export_lineage(*, query: str | None = None, folderId: str | None = None, experimentIds: str | None = None) -> Endpoint: return "GET", address("/api/views/v1/lineage.parquet", query=query, folderId=folderId, experimentIds=experimentIds)
def export_lines(*, query: str | None = None, folderId: str | None = None, experimentIds: str | None = None) -> Endpoint: return "GET", address("/api/views/v1/lines.parquet", query=query, folderId=folderId, experimentIds=experimentIds)
def view_artifacts(*, under: str | None = None, search: str | None = None, sort: str | None = None, after: str | None = None, limit: str | None = None) -> Endpoint: return "GET", address("/api/views/v1/artifacts", under=under, search=search, sort=sort, after=after, limit=limit)
def view_artifact(*, artifact: str, version: str | None = None, after: str | None = None, limit: str | None = None, metas: str | None = None) -> Endpoint: return "GET", address("/api/views/v1/artifact", artifact=artifact, version=version, after=after, limit=limit, metas=metas)
def read_sent_bytes(*, artifact: str, upload: str) -> Endpoint: return "GET", address("/api/views/v1/sent-bytes", artifact=artifact, upload=upload)
def read_file_address(*, artifact: str, version: str, file: str) -> Endpoint: return "GET", address("/api/views/v1/file-address", artifact=artifact, version=version, file=file)
def read_file_part(*, artifact: str, version: str, file: str, offset: str | None = None, length: str | None = None) -> Endpoint: return "GET", address("/api/views/v1/file", artifact=artifact, version=version, file=file, offset=offset, length=length)
def read_file_frame(*, artifact: str, version: str, file: str, scripts: str | None = None) -> Endpoint: return "GET", address("/api/views/v1/file-frame", artifact=artifact, version=version, file=file, scripts=scripts)
def view_run_files(*, owner: str, after: str | None = None, limit: str | None = None) -> Endpoint: return "GET", address("/api/views/v1/run-files", owner=owner, after=after, limit=limit)
def read_run_file_address(*, owner: str, file: str) -> Endpoint: return "GET", address("/api/views/v1/run-file-address", owner=owner, file=file)
def read_run_file_part(*, owner: str, file: str, offset: str | None = None, length: str | None = None) -> Endpoint: return "GET", address("/api/views/v1/run-file", owner=owner, file=file, offset=offset, length=length)
def list_saved_views() -> Endpoint: return "GET", "/api/views/v1/saved"
def create_saved_view() -> Endpoint: return "POST", "/api/views/v1/saved"
def change_saved_view(*, id: str) -> Endpoint: return "PUT", address("/api/views/v1/saved", id=id)
def delete_saved_view(*, id: str, revision: str) -> Endpoint: return "DELETE", address("/api/views/v1/saved", id=id, revision=revision)
def list_reports() -> Endpoint: return "GET", "/api/views/v1/reports"
def read_report(*, id: str) -> Endpoint: return "GET", address("/api/views/v1/report", id=id)
def create_report() -> Endpoint: return "POST", "/api/views/v1/reports"
def change_report(*, id: str) -> Endpoint: return "PUT", address("/api/views/v1/report", id=id)
def delete_report(*, id: str, revision: str) -> Endpoint: return "DELETE", address("/api/views/v1/report", id=id, revision=revision)
def add_report_picture(*, id: str) -> Endpoint: return "POST", address("/api/views/v1/report-picture", id=id)
def read_report_picture(*, id: str, picture: str) -> Endpoint: return "GET", address("/api/views/v1/report-picture", id=id, picture=picture)
def list_workspaces() -> Endpoint: return "GET", "/api/views/v1/workspaces"
def read_workspaces(*, folderId: str | None = None) -> Endpoint: return "GET", address("/api/views/v1/workspace", folderId=folderId)
def list_workspace_versions(*, id: str) -> Endpoint: return "GET", address("/api/views/v1/workspace/versions", id=id)
def save_workspace() -> Endpoint: return "PUT", "/api/views/v1/workspace"
def delete_workspace(*, id: str, revision: str) -> Endpoint: return "DELETE", address("/api/views/v1/workspace", id=id, revision=revision)
def read_usage_view(*, days: str | None = None, by: str | None = None) -> Endpoint: return "GET", address("/api/views/v1/usage", days=days, by=by)
def read_audit_view(*, action: str | None = None, actor: str | None = None, subject: str | None = None, since: str | None = None, until: str | None = None, before: str | None = None) -> Endpoint: return "GET", address("/api/views/v1/audit", action=action, actor=actor, subject=subject, since=since, until=until, before=before)
def read_audit_terms() -> Endpoint: return "GET", "/api/views/v1/audit-terms"
def list_sign_ins() -> Endpoint: return "GET", "/api/v1/sign-ins"
def end_sign_in(*, id: str) -> Endpoint: return "DELETE", address("/api/v1/sign-ins", id=id)
def trash_experiments() -> Endpoint: return "POST", "/api/trash/v1/experiments"
def trash_series() -> Endpoint: return "POST", "/api/trash/v1/series"
def trash_folder() -> Endpoint: return "POST", "/api/trash/v1/folders"
def trash_versions() -> Endpoint: return "POST", "/api/trash/v1/versions"
def list_trash(*, before: str | None = None) -> Endpoint: return "GET", address("/api/trash/v1/entries", before=before)
def restore_trash() -> Endpoint: return "POST", "/api/trash/v1/restore"
def purge_trash() -> Endpoint: return "POST", "/api/trash/v1/purge"
def read_trash_settings() -> Endpoint: return "GET", "/api/trash/v1/settings"
def set_trash_settings() -> Endpoint: return "PUT", "/api/trash/v1/settings"
def read_organization_contents() -> Endpoint: return "GET", "/api/trash/v1/organization"
def trash_organization() -> Endpoint: return "POST", "/api/trash/v1/organization"
def list_deleted_organizations() -> Endpoint: return "GET", "/api/trash/v1/organizations"
def restore_organization() -> Endpoint: return "POST", "/api/trash/v1/organizations"
def free_slug() -> Endpoint: return "POST", "/api/trash/v1/slugs"
def list_retention_rules() -> Endpoint: return "GET", "/api/trash/v1/rules"
def create_retention_rule() -> Endpoint: return "POST", "/api/trash/v1/rules"
def change_retention_rule(*, id: str) -> Endpoint: return "PUT", address("/api/trash/v1/rules", id=id)
def delete_retention_rule(*, id: str, revision: str) -> Endpoint: return "DELETE", address("/api/trash/v1/rules", id=id, revision=revision)
def try_retention_rule() -> Endpoint: return "POST", "/api/trash/v1/rules/try"
def read_sign_on() -> Endpoint: return "GET", "/api/sign-on/v1/provider"
def set_sign_on() -> Endpoint: return "PUT", "/api/sign-on/v1/provider"
def remove_sign_on() -> Endpoint: return "DELETE", "/api/sign-on/v1/provider"
def read_scim() -> Endpoint: return "GET", "/api/sign-on/v1/scim"
def create_scim_token() -> Endpoint: return "POST", "/api/sign-on/v1/scim"
def end_scim() -> Endpoint: return "DELETE", "/api/sign-on/v1/scim"
def list_tokens(*, of: str | None = None) -> Endpoint: return "GET", address("/api/sign-on/v1/tokens", of=of)
def create_token() -> Endpoint: return "POST", "/api/sign-on/v1/tokens"
def revoke_token(*, id: str) -> Endpoint: return "DELETE", address("/api/sign-on/v1/tokens", id=id)
def create_service_account() -> Endpoint: return "POST", "/api/sign-on/v1/service-accounts"
