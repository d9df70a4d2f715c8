# Generated from protocol/ by `npm run generate`: do not edit.
"""Types of requests and replies, for type checkers only."""

from __future__ import annotations

from typing import Any, Literal, TypedDict, Union

# Codes of this version; a later service may send others.
ErrorCode = Literal[
    "unauthorized",
    "malformed_json",
    "validation_failed",
    "duplicate_message_id",
    "checksum_mismatch",
    "invalid_headers",
    "not_found",
    "method_not_allowed",
    "request_timeout",
    "payload_too_large",
    "unsupported_media_type",
    "misdirected_request",
    "headers_too_large",
    "rate_limited",
    "internal",
    "data_corrupted",
    "overloaded",
    "shutting_down",
    "model_not_found",
    "tag_not_found",
    "file_not_found",
    "feature_disabled",
    "not_implemented",
    "storage_unavailable",
    "storage_full",
    "folder_already_exists",
    "folder_not_found",
    "folder_not_empty",
    "folder_cycle",
    "experiment_not_found",
    "experiment_deleted",
    "experiment_changed",
    "series_deleted",
    "experiment_id_mismatch",
    "experiment_token_invalid",
    "message_id_conflict",
    "limit_exceeded",
    "result_too_large",
    "bad_request",
    "forbidden",
    "not_empty",
    "superseded",
    "not_after_latest",
    "not_ready",
    "conflict",
    "upstream",
    "unavailable",
]


class AcceptInvitationBody(TypedDict):
    # From the link.
    token: str
    # Compared without regard to case.
    email: str
    # A long password is better than a strange one. It is stored as a slow hash.
    password: str


class AddedPicture(TypedDict):
    # Put it into a text as `![words](picture:…)`.
    picture: str
    type: Literal["image/png", "image/jpeg", "image/webp", "image/gif"]
    # In pixels.
    width: int
    # In pixels.
    height: int


class _AgentError(TypedDict):
    # A code of JSON-RPC or of the Model Context Protocol.
    code: int
    # A sentence for people.
    message: str


class AgentError(_AgentError, total=False):
    # Of a refusal of the service: its `code` and the `requestId`.
    data: Any


class AgentFailure(TypedDict):
    """A message of an agent was refused."""

    jsonrpc: Literal["2.0"]
    # A number or text of the sender's; a notification has none.
    id: Any
    error: AgentError


class _AgentMessage(TypedDict):
    jsonrpc: Literal["2.0"]
    # `initialize`, `tools/list`, `tools/call`, …
    method: str


class AgentMessage(_AgentMessage, total=False):
    """A request or notification of JSON-RPC 2.0."""

    # A number or text of the sender's; a notification has none.
    id: Any
    params: dict[str, Any]


class _AgentReply(TypedDict):
    jsonrpc: Literal["2.0"]
    # A number or text of the sender's; a notification has none.
    id: Any


class AgentReply(_AgentReply, total=False):
    """The answer to the message; to a notification there is none."""

    # The answer.
    result: Any
    error: AgentError


class AliasChange(TypedDict):
    # The changes of the aliases of an artifact are numbered from 1, without gaps.
    number: int
    # The alias that was changed.
    alias: str
    # The version before; null: it was new.
    previous: str | None
    # The version since; null: it was removed.
    version: str | None
    # When.
    atMs: int
    # Who did it.
    by: str


class AliasHistory(TypedDict):
    # Newest first.
    changes: list[AliasChange]
    # Pass it as `before`; null: there are no older changes.
    next: str | None


class AliasList(TypedDict):
    # By name; at most 1000.
    aliases: list[VersionAlias]


class AnnotateData(TypedDict):
    # Must equal the id in the URL.
    experimentId: str
    # The text.
    annotation: str
    # Stored beside the text. A JSON object, at most 65536 bytes compact.
    meta: dict[str, Any]


class AnnotatedData(TypedDict):
    # The experiment.
    experimentId: str
    # Assigned by the service.
    annotationId: str
    # Server time at which it was added.
    createdAtMs: int


class Annotation(TypedDict):
    # Assigned by the service.
    annotationId: str
    annotation: str
    # As sent. A JSON object, at most 65536 bytes compact.
    meta: dict[str, Any]
    # Server time at which it was added.
    createdAtMs: int


class _AnnotationsQueryDataByExperimentId(TypedDict):
    # The experiment by its id.
    experimentId: str


class _AnnotationsQueryDataByExperimentSlug(TypedDict):
    # The experiment by its slug.
    experimentSlug: str


AnnotationsQueryData = Union[_AnnotationsQueryDataByExperimentId, _AnnotationsQueryDataByExperimentSlug]


class AnnotationsResultData(TypedDict):
    # The experiment.
    experimentId: str
    # Newest first, at most 100,000.
    annotations: list[Annotation]
    # True: there are older ones that are not listed.
    truncated: bool


class Apart(TypedDict):
    # Experiments of `experimentIds` that exist.
    named: int
    # Other experiments that were counted.
    others: int
    # Other experiments that the query finds: all of them are counted, up to 200,000.
    othersFound: int
    # Largest difference first.
    keys: list[ApartKey]
    # Keys that any of them has.
    keysFound: int
    # Number of counted keys: the most common ones, those of the named experiments first.
    keysCounted: int


class ApartKey(TypedDict):
    # In the language's spelling.
    field: str
    # A test in the form of a query: of all tests on this key the one whose shares differ most.
    test: str
    # Experiments of `experimentIds` that it finds.
    named: int
    # Others that it finds.
    others: int
    # Absolute difference of the shares of named and of other experiments that it finds.
    distance: float


class ApiKey(TypedDict):
    # Assigned by the service.
    id: str
    name: str
    # When it was made. ISO 8601, UTC, milliseconds.
    created: str
    # Id of the person, or `bootstrap` for the operator.
    createdBy: str
    # To the minute; null: never used. ISO 8601, UTC, milliseconds.
    lastUsed: str | None


class ApiKeysReply(TypedDict):
    keys: list[ApiKey]


class _AppendConsoleBody(TypedDict):
    source: SentConsoleSource
    # Number of the first line among those of the source, from 0.
    first: int
    lines: list[SentConsoleLine]


class AppendConsoleBody(_AppendConsoleBody, total=False):
    # Lines that have not ended yet, at most one a stream: they replace those sent before.
    open: list[OpenConsoleLine]


class AppendConsoleReply(TypedDict):
    # Lines of the source that are stored: the number of the next one. Less than what was sent where lines before it are missing; then nothing was stored.
    next: int


class ArtifactEntry(TypedDict):
    artifact: str
    # Committed versions.
    versions: int
    # Sum over all of them.
    bytes: int
    latest: str
    # When the latest version was committed. ISO 8601, UTC, milliseconds.
    lastCommit: str
    # Label of the latest version's writer.
    source: str | None


class _ArtifactFailure(TypedDict):
    # A stable code.
    error: str
    # A sentence for people.
    message: str


class ArtifactFailure(_ArtifactFailure, total=False):
    """A v1 request was refused."""

    # With superseded: the current epoch.
    epoch: int


class ArtifactFolder(TypedDict):
    # The path with a slash at its end, for `under`.
    path: str
    # Artifacts below it.
    artifacts: int
    # Their committed versions.
    versions: int
    # Bytes of these versions.
    bytes: int
    # When the last of them was committed; null: none was.
    lastCommitAtMs: int | None


class ArtifactListReply(TypedDict):
    # Folders directly below `under`, by name. None with `search` or by `newest`.
    folders: list[ArtifactFolder]
    # Artifacts directly below `under`, or with `search` or by `newest` all below it. Artifacts without a version yet are included; artifacts whose versions were all deleted are not.
    artifacts: list[ListedArtifact]
    # Pass it as `after`; null: this was the last page.
    next: str | None


class ArtifactReply(TypedDict):
    # Its path.
    artifact: str
    # Epoch of the newest writer; 0: never opened.
    epoch: int
    # When that writer opened it; null: never, or before the service recorded this.
    openedAtMs: int | None
    # The label of that writer; null in the same cases.
    openedBy: str | None
    # Newest first; with `version` only that.
    versions: list[ViewedVersion]
    # Committed versions.
    versionsTotal: int
    # Bytes of all versions.
    bytes: int
    # The highest version; null: there is none yet.
    latest: str | None
    # All aliases of its versions, by name.
    aliases: list[VersionAlias]
    # Uploads under way, newest first.
    uploads: list[PendingUpload]
    # By name.
    notes: list[ListedNote]
    # Pass it as `after`; null: there are no older versions.
    next: str | None


class ArtifactsPage(TypedDict):
    artifacts: list[ArtifactEntry]
    # Pass it as `after`; null: this was the last page.
    next: str | None


class _Attempt(TypedDict):
    # Its number, from 1, in the order in which attempts began.
    attempt: int
    id: str
    state: Literal["running", "silent", "finished", "exited", "killed", "preempted", "gone"]
    # When the attempt ended; silent: when it was seen alive last; running: when it began.
    sinceMs: int
    # When its first process began.
    beganAtMs: int
    # When a process of it was seen alive last, of those that have not ended where there are any.
    beatAtMs: int
    # In the order of the ranks.
    processes: list[AttemptProcess]


class Attempt(_Attempt, total=False):
    exitCode: int
    signal: int
    # Of the process that decides the state.
    error: str
    # When its last process ended; left out: not all have.
    endedAtMs: int
    # The least first step of its processes.
    fromStep: int
    # The largest last step of its processes.
    toStep: int
    next: NextAttempt


class _AttemptEnd(TypedDict):
    # When it ended.
    atMs: int
    how: Literal["finished", "exited", "killed", "gone"]
    # From what this is known.
    evidence: list[str]


class AttemptEnd(_AttemptEnd, total=False):
    exitCode: int
    # Number of the signal.
    signal: int
    # The exception that ended it: its kind and one line.
    error: str


class AttemptLaunch(TypedDict):
    # The launcher that starts it again under the same id: `slurm`, `torchrun`, …
    by: str
    # The launcher's id of the whole, which stays when it starts it again.
    id: str
    # How often the launcher has started it again.
    restart: int


class _AttemptProcess(TypedDict):
    id: str
    state: Literal["running", "silent", "finished", "exited", "killed", "preempted", "gone"]
    # When it began.
    beganAtMs: int
    # When it was seen alive last.
    beatAtMs: int


class AttemptProcess(_AttemptProcess, total=False):
    # Number of the process among those of a distributed training.
    rank: int
    # How many these are.
    ranks: int
    # The machine.
    host: str
    # Number of the process on its machine.
    processId: int
    # Changes when the machine is started again.
    bootId: str
    # The launchers that started it, from the outermost.
    launches: list[AttemptLaunch]
    # Variables of its environment by which launchers know it.
    variables: list[AttemptVariable]
    # Its first step.
    fromStep: int
    # Its last step until now.
    toStep: int
    end: AttemptEnd


class AttemptVariable(TypedDict):
    # For instance `SLURM_JOB_ID` or `POD_NAME`.
    name: str
    # Its value.
    value: str


class Attribute(TypedDict):
    key: str
    value: str


class _AttributesQueryDataByExperimentId(TypedDict):
    # The experiment by its id.
    experimentId: str


class _AttributesQueryDataByExperimentSlug(TypedDict):
    # The experiment by its slug.
    experimentSlug: str


AttributesQueryData = Union[_AttributesQueryDataByExperimentId, _AttributesQueryDataByExperimentSlug]


class AttributesResultData(TypedDict):
    # The experiment.
    experimentId: str
    # The name in lists: `_name` of the meta if it is a text, otherwise the tag `mlflow.runName`, otherwise the slug.
    name: str
    # When it began, as a row of the table says it.
    beganAtMs: int
    # When it ended, in the same form; null: it is running.
    endedAtMs: int | None
    run: RunFacts | None
    # Logged params by key, then leaves of the meta that are not params.
    params: list[Attribute]
    # By key; then name and description, if no tag is.
    tags: list[Attribute]
    # Data sets that the run read, in the order of logging.
    datasets: list[InputDataset]
    # Logged models that the run used, then those that it made.
    models: list[RunModel]
    # Values that only MLflow's clients read: NaN, infinities, steps below 0.
    irregularPoints: int


class AuditActor(TypedDict):
    id: str
    # Display name of the actor: an address or a name; null: it has none.
    name: str | None


class AuditEvent(TypedDict):
    # Sorts by time.
    id: str
    # When it happened. ISO 8601, UTC, milliseconds.
    at: str
    # What happened, for instance apiKey.created.
    action: str
    # Id of the person or key, or `bootstrap`, `provision`, `operator`, `service`, `retention`.
    actor: str
    # Id of the object of the action.
    subject: str | None
    # Network address of the caller.
    address: str | None
    details: dict[str, Any]


class AuditReply(TypedDict):
    # Newest first.
    events: list[AuditEvent]
    # Pass it as `before`; null: there are no older ones.
    next: str | None


class AuditTermsReply(TypedDict):
    # Actions in the log, by name.
    actions: list[str]
    # Actors in the log, at most 500.
    actors: list[AuditActor]


class AuditViewReply(TypedDict):
    # Newest first.
    events: list[NamedAuditEvent]
    # Pass it as `before`; null: there are no older ones.
    next: str | None


class AuthKind(TypedDict):
    kind: Literal["api_key", "session", "oauth"]


class AuthStatus(TypedDict):
    auth: AuthKind
    organization: Organization


class AuthStatusReply(TypedDict):
    data: AuthStatus
    error: None


class AwsConnection(TypedDict):
    cloud: Literal["aws"]
    aws: AwsIdentifiers


class AwsIdentifiers(TypedDict):
    roleArn: str


class AzureConnection(TypedDict):
    cloud: Literal["azure"]
    azure: AzureIdentifiers


class AzureIdentifiers(TypedDict):
    tenantId: str
    clientId: str
    subscriptionId: str
    resourceGroup: str


class _BeginVersionBody(TypedDict):
    # The writer's, from artifacts/open.
    epoch: int
    place: Place
    files: list[NewFile]
    # Free, returned with the version. A JSON object, at most 65536 bytes compact.
    meta: dict[str, Any]


class BeginVersionBody(_BeginVersionBody, total=False):
    exclude: list[str]


class BytesOfDay(TypedDict):
    # UTC, YYYY-MM-DD.
    day: str
    kind: Literal["write", "read"]
    # Id of the location; or cloud and region of the writer or reader, with a slash between them; or the transfer. null: all that is not among the groups.
    of: str | None
    # Bytes committed, or signed for reading.
    bytes: int
    # Versions committed, or signed reads.
    count: int


class _CatalogQueryDataByExperimentId(TypedDict):
    # The experiment by its id.
    experimentId: str


class _CatalogQueryDataByExperimentSlug(TypedDict):
    # The experiment by its slug.
    experimentSlug: str


CatalogQueryData = Union[_CatalogQueryDataByExperimentId, _CatalogQueryDataByExperimentSlug]


class CatalogResultData(TypedDict):
    # The experiment; as requested if there is none with this id.
    experimentId: str
    # Ordered by name, bytewise; empty for an unknown id.
    series: list[CatalogSeries]


class CatalogSeries(TypedDict):
    seriesName: str
    # Every metadata key with the values seen for it, both ordered bytewise.
    metadata: dict[str, list[str]]


class ChangeModelBody(TypedDict):
    # The new description.
    description: str


class ChangePasswordBody(TypedDict):
    current: str
    # A long password is better than a strange one. It is stored as a slow hash.
    password: str


class _ChangeReportBody(TypedDict):
    # The revision that was seen: with another one nothing changes.
    revision: int


class ChangeReportBody(_ChangeReportBody, total=False):
    # No other one of the person, or of the organization, has it.
    name: str
    scope: Literal["own", "shared"]
    # From top to bottom; 131,072 bytes together at most.
    blocks: list[ReportBlock]


class ChangeRetentionRuleBody(TypedDict):
    # The revision that was seen: with another one nothing changes.
    revision: int
    # No other rule of the organization has it.
    name: str
    rule: RetentionRuleContent


class ChangeRoleBody(TypedDict):
    role: Literal["owner", "admin", "member", "viewer"]


class _ChangeSavedViewBody(TypedDict):
    # The revision that was seen: with another one nothing changes.
    revision: int


class ChangeSavedViewBody(_ChangeSavedViewBody, total=False):
    # No other one of the person, or of the organization, has it.
    name: str
    scope: Literal["own", "shared"]
    # Path of a page, and its query, as its address has them.
    address: str


class _ChangedExperiment(TypedDict):
    experimentId: str
    # Grows with every change; the same as in query.revisions.
    revision: int
    # Points of all its series.
    points: int
    # Grows when series of the experiment are deleted, restored or purged: the same points and version mean the same series.
    seriesVersion: int
    # Grows when its meta changes, and with each note of a value that is not finite.
    metaVersion: int
    status: Literal["running", "done", "error"]
    # Last start, done or error; before the first one, when it was opened.
    statusAtMs: int
    # Last open, move, edit, start, done or error.
    updatedAtMs: int
    # When points were last stored; before the first one, when it was opened.
    appendedAtMs: int


class ChangedExperiment(_ChangedExperiment, total=False):
    liveness: Liveness


class _ChangesBody(TypedDict):
    # May be empty; of a repeated id the last one counts.
    experiments: list[SeenExperiment]
    # How long the service may wait for a change, milliseconds.
    waitMs: int


class ChangesBody(_ChangesBody, total=False):
    # `opened` of the last reply: then an experiment that is opened for the first time is a change too.
    opened: str


class ChangesReply(TypedDict):
    # Experiments with another revision than the client's.
    experiments: list[ChangedExperiment]
    # For the next request; opaque.
    opened: str
    # Experiments of the organization that were opened for the first time, deleted or restored since; 0 without `opened`.
    openedExperiments: int


class _ChartBlock(TypedDict):
    kind: Literal["chart"]
    seriesName: str
    # Empty: the name of the series.
    title: str
    # How it is drawn, as the query of a chart's page: x, xs, r, y, yr, s, split, only.
    view: str


class ChartBlock(_ChartBlock, total=False):
    width: Literal["half"]
    experimentIds: list[str]
    # Instead of the ids: a query, run at each reading. docs/query.md describes the language.
    query: str
    # With the query: only experiments in this folder and below it.
    folderId: str
    # With the query, of which the first 100 are drawn: fields separated by commas, each optionally followed by `desc`. Default: the newest first. docs/query.md describes the language.
    sort: str
    # Further series on the same axes.
    otherSeriesNames: list[str]
    operator: Literal["plus", "minus", "times", "dividedBy"]
    # The experiment whose annotations and versions are shown below, if it is one of them; default: the first one.
    referenceId: str
    pinned: PinnedChart


class ColumnsHead(TypedDict):
    # What the points belong to, by the index that each point has.
    partitions: list[ColumnsPartition]
    # Beginnings of ids, by the index that each run of ids has.
    prefixes: list[str]


class ColumnsPartition(TypedDict):
    # Names the series; printable ASCII, 1 to 256 bytes.
    metricName: str
    # Splits the series into partitions, one for each distinct content. Keys at most 128 bytes, values at most 512, canonical JSON (RFC 8785) at most 4,096.
    meta: dict[str, str]


class CombinedLine(TypedDict):
    operator: Literal["plus", "minus", "times", "dividedBy"]
    seriesName: str
    # Steps, of the whole line, that only one of both has.
    unpaired: int
    # Steps, of the whole line, whose result is not finite, as after a division by 0.
    nonfinite: int


class CommitUploadBody(TypedDict):
    # The writer's, from artifacts/open.
    epoch: int
    files: list[SentFile]


class CommitUploadReply(TypedDict):
    version: str
    # When it was committed. ISO 8601, UTC, milliseconds.
    committed: str


class ComparedExperiment(TypedDict):
    # The experiment.
    experimentId: str
    slug: str
    # The name in lists, from the meta or the tag of MLflow's clients; null: its slug.
    name: str | None


class ComparedKey(TypedDict):
    # In the language's spelling, as in `meta.optimizer.lr`.
    field: str
    # Its different values, in order of appearance. Numbers are equal however they are written.
    values: list[ComparedValue]
    # Which one each experiment has, in their order; null: it lacks the key.
    valueOf: list[int | None]


class ComparedMetric(TypedDict):
    name: str
    # Number of compared experiments that have it.
    experiments: int
    # One for each experiment, in their order; null: it has none, or none yet.
    summaries: list[ComparedSummary | None]


class _ComparedSummary(TypedDict):
    # How many; 0: no value is finite, and all but the last one is null.
    points: int
    first: float | None
    # Step of the first point.
    firstStep: int | None
    # The last of all values, finite or not.
    last: float | Literal["NaN", "Infinity", "-Infinity"]
    # Step of the last value.
    lastStep: int
    min: float | None
    # The smallest step with this value.
    minStep: int | None
    max: float | None
    # The smallest step with this value.
    maxStep: int | None
    mean: float | None


class ComparedSummary(_ComparedSummary, total=False):
    # Number of values that are not finite; missing: none.
    nonfinite: int


class ComparedValue(TypedDict):
    kind: Literal["null", "boolean", "number", "text", "list", "object"]
    # A text itself, other values as the recorded JSON, with all digits of a number; cut after 1,024 characters.
    text: str
    # The value is longer than its text.
    isCut: bool


CompleteConnectionBody = Union["AwsConnection", "GcpConnection", "AzureConnection"]


class Connection(TypedDict):
    # Assigned by the service.
    id: str
    cloud: Literal["aws", "gcp", "azure"]
    name: str
    state: Literal["pending", "active"]
    # The identity that the cloud must trust.
    subject: str
    # Address of the token issuer.
    issuer: str
    audience: str
    identifiers: CompleteConnectionBody | None
    error: str | None
    # A script to run in the cloud account.
    setup: str
    # When it was made. ISO 8601, UTC, milliseconds.
    created: str


class _ConsoleLine(TypedDict):
    # Number of the line in the experiment's console, from 0, in the order of arrival.
    line: int
    # Number of its source.
    source: int
    # When the line ended.
    timestampMs: int
    stream: Literal["stdout", "stderr", "debug", "info", "warning", "error", "critical"]
    text: str


class ConsoleLine(_ConsoleLine, total=False):
    # Colours and styles of stretches of the text.
    spans: list[ConsoleSpan]


class _ConsoleSource(TypedDict):
    # Its number within the experiment, from 0.
    source: int
    id: str
    # Its lines.
    lines: int
    # Lines that have not ended yet.
    open: list[OpenConsoleLine]


class ConsoleSource(_ConsoleSource, total=False):
    # Number of the process among those of a distributed training.
    rank: int
    host: str
    # Number of the process on its host.
    processId: int


class ConsoleSpan(TypedDict):
    # First character, in UTF-16 code units.
    start: int
    # Character after the last.
    end: int
    # Parameters of the terminal's colour sequence (SGR), for instance `1;31`.
    style: str


class CountedFolder(TypedDict):
    # The folder.
    folderId: str
    # Its parent folder; null: the root.
    parentFolderId: str | None
    name: str
    # In the folder itself.
    experiments: int
    # In it and in all folders below it.
    experimentsBelow: int


class CreateApiKeyBody(TypedDict):
    # For people.
    name: str


class CreateApiKeyReply(TypedDict):
    key: ApiKey
    # Shown only here.
    secret: str


class CreateConnectionBody(TypedDict):
    cloud: Literal["aws", "gcp", "azure"]
    # For people.
    name: str


class _CreateGuestLinkBody(TypedDict):
    # For those who list it; guests do not see it.
    name: str
    # Until it ends.
    days: int


class CreateGuestLinkBody(_CreateGuestLinkBody, total=False):
    # What it shows: one experiment, or a comparison of several.
    experimentIds: list[str]
    # Instead: a shared report, with the experiments that it shows now.
    reportId: str
    # For review: neither names of people, runs and the organization, nor texts that people or scripts wrote.
    isAnonymous: bool
    # Whether it shows consoles.
    showsConsole: bool
    # Whether it shows media and files of artifacts and runs, and gives them out.
    showsFiles: bool


class CreateGuestLinkReply(TypedDict):
    link: GuestLink
    # The address for guests. It is shown only here; its secret is behind the `#`.
    address: str


class _CreateInvitationBody(TypedDict):
    role: Literal["owner", "admin", "member", "viewer"]


class CreateInvitationBody(_CreateInvitationBody, total=False):
    # Compared without regard to case.
    email: str


class CreateInvitationReply(TypedDict):
    invitation: Invitation
    # One use; shown only here.
    link: str


CreateLocationBody = Union["CreatedLocationBody", "StoreLocationBody"]


class CreateReportBody(TypedDict):
    # No other one of the person, or of the organization, has it.
    name: str
    scope: Literal["own", "shared"]
    # From top to bottom; 131,072 bytes together at most.
    blocks: list[ReportBlock]


class CreateRetentionRuleBody(TypedDict):
    # No other rule of the organization has it.
    name: str
    rule: RetentionRuleContent


class CreateSavedViewBody(TypedDict):
    # No other one of the person, or of the organization, has it.
    name: str
    scope: Literal["own", "shared"]
    # Path of a page, and its query, as its address has them.
    address: str


class CreateServiceAccountBody(TypedDict):
    # Unique in the organization.
    name: str
    role: Literal["admin", "member", "viewer"]


class _CreateSessionBody(TypedDict):
    email: str
    password: str


class CreateSessionBody(_CreateSessionBody, total=False):
    # Name or id; needed only when the person belongs to several.
    organization: str
    # true: the token is set as an HttpOnly cookie, and the reply has csrf instead.
    cookie: bool


class _CreateTokenBody(TypedDict):
    # For people.
    name: str
    # read: only reads; the only one of viewers. write: everything that an API key may. role: everything that the member's role may, except tokens and passwords. None exceeds the member's present role.
    scope: Literal["read", "write", "role"]
    # Until it expires; null: it does not.
    days: int | None


class CreateTokenBody(_CreateTokenBody, total=False):
    # Id of the service account that it is for, by an admin; left out: it is one's own.
    account: str


class CreateTokenReply(TypedDict):
    token: PersonalToken
    # Shown only here.
    secret: str


class _CreatedLocationBody(TypedDict):
    kind: Literal["created"]
    # An active connection.
    connection: str
    # Where the bucket is made, as its cloud calls it: eu-central-1, europe-west4, westeurope …
    region: str


class CreatedLocationBody(_CreatedLocationBody, total=False):
    # Default: cloud and region.
    name: str


class CurrentPerson(TypedDict):
    # The person.
    id: str
    email: str


class CurrentSession(TypedDict):
    # For the header x-csrf-token of requests with the cookie.
    csrf: str
    # When the session ends. ISO 8601, UTC, milliseconds.
    expires: str
    person: CurrentPerson
    organization: Organization | None
    role: Literal["owner", "admin", "member", "viewer"] | None
    # The person's organizations, by name.
    organizations: list[MemberOrganization]


class DeletedOrganization(TypedDict):
    # The organization.
    id: str
    name: str
    # When it was deleted.
    trashedAtMs: int
    # When it is removed for good.
    purgeAtMs: int
    # It is being removed and can no longer be restored.
    isPurging: bool


class DeletedOrganizationsReply(TypedDict):
    # Deleted organizations of which the person is an owner, by name.
    organizations: list[DeletedOrganization]


class DescriptionEdit(TypedDict):
    # The text that the client saw, which is to be replaced.
    before: str
    # The new text; may be empty.
    after: str


class DifferenceBody(TypedDict, total=False):
    # The experiments to compare, in this order. Left out: the first that the query finds.
    experimentIds: list[str]
    # Which experiments are compared; with `experimentIds`, which others these are set apart from. Left out: all. docs/query.md describes the language.
    query: str
    # Only experiments in this folder and below it.
    folderId: str
    # The first field decides, the next ones among equals, finally the ids. Experiments without a value come last in either direction. Default: the newest first.
    sort: list[TableSort]
    # Compare the experiments of `experimentIds` with all others that the query finds.
    apart: bool
    # Only keys that fit this search: words in any order, in which `*` stands for anything, or `/regular expression/`; letters A to Z without regard to case (docs/query.md). Default: all.
    text: str
    # Give keys that are equal, too.
    equalKeys: bool
    # Give keys that begin with an underscore, too, the command of `_source`, and the tags that MLflow's clients write by themselves.
    hiddenKeys: bool
    # Keys of the reply, and of `apart`. Default: 1000.
    keysMax: int
    # Only metrics that fit this search: words in any order, in which `*` stands for anything, or `/regular expression/`; letters A to Z without regard to case (docs/query.md). Default: all.
    metricText: str
    # Metrics of the reply, each with a summary for each experiment: 20,000 summaries at most. Default: 200.
    metricsMax: int


class _DifferenceReply(TypedDict):
    # The compared experiments.
    experiments: list[ComparedExperiment]
    # Experiments that the query finds; without a query, how many are compared.
    found: int
    # In the order of the metas.
    keys: list[ComparedKey]
    # Keys that differ; `keys` has the first of them.
    differingKeys: int
    # Keys that all have with one value.
    equalKeys: int
    # Keys left out because they begin with an underscore, are `_source.command`, or `tag.mlflow.` and more.
    hiddenKeys: int
    # Values that were not compared: at keys longer than 512 bytes, and at more than 20,000 keys.
    uncomparedValues: int
    # The most common first, then by name.
    metrics: list[ComparedMetric]
    # Metrics that any of the experiments has; `metrics` has the first of them.
    metricsFound: int
    # Summaries, and `apart`, include everything acknowledged until this time.
    asOfMs: int
    # Experiments with summaries or meta not up to date, among those that are compared, or that the query finds or may find later.
    behind: int
    # Those of them behind for more than ten seconds.
    late: int


class DifferenceReply(_DifferenceReply, total=False):
    apart: Apart


class _EditBody(TypedDict):
    # The experiment.
    experimentId: str


class EditBody(_EditBody, total=False):
    description: DescriptionEdit
    # The rest of the meta stays unchanged.
    meta: list[MetaEdit]


class _EditFailure(TypedDict):
    # A stable code.
    error: str
    # A sentence for people.
    message: str


class EditFailure(_EditFailure, total=False):
    """An edit was refused."""

    present: PresentTexts


class EditReply(TypedDict):
    # The experiment.
    experimentId: str
    description: str
    # The current meta. A JSON object, at most 65536 bytes compact.
    meta: dict[str, Any]
    # Server time of the edit; if it changed nothing, of the last change.
    updatedAtMs: int


class _EraseAccountBody(TypedDict):
    # The person's own address, as a confirmation.
    email: str


class EraseAccountBody(_EraseAccountBody, total=False):
    # The current password; missing after a sign-in by an identity provider.
    password: str


class ErrorReplyData(TypedDict):
    """Why an event failed or a stream ended early."""

    # What failed.
    code: ErrorCode
    # A sentence for people.
    message: str
    # The HTTP status that the event would have had.
    status: int
    # True for status 429 and 5xx, otherwise false.
    retryable: bool
    # Depends on the code; `{}` if there is nothing to add.
    details: dict[str, Any]


class ExperimentArtifactsReply(TypedDict):
    # Newest first, at most 10,000.
    versions: list[ExperimentVersion]
    # True: there are older ones that are not listed.
    truncated: bool
    # Uploads under way, newest first, at most 100.
    uploads: list[ExperimentUpload]


class ExperimentCompletedData(TypedDict):
    # Assigned when the slug was opened first.
    experimentId: str
    status: Literal["running", "done", "error"]
    # Server time of this change.
    statusAtMs: int


class ExperimentDoneData(TypedDict):
    # Must equal the id in the URL.
    experimentId: str


class ExperimentErrorData(TypedDict):
    # Must equal the id in the URL.
    experimentId: str
    # What went wrong.
    error: str
    # Read back as errorMeta. A JSON object, at most 65536 bytes compact.
    meta: dict[str, Any]


class ExperimentFailedData(TypedDict):
    # Assigned when the slug was opened first.
    experimentId: str
    status: Literal["running", "done", "error"]
    # Server time of this change.
    statusAtMs: int


class ExperimentGroup(TypedDict):
    # One for each key, in the order of the request.
    values: list[GroupValue]
    # Experiments in it.
    experiments: int
    # In the order of the request.
    columns: list[GroupColumn]


class _ExperimentGroupsBody(TypedDict):
    # Fields of meta, or slug, id, name, status, state, attempts, folder, tag, group, commit, description or error. Lists, tags included, are compared as wholes. None: all experiments are one group.
    by: list[str]
    # Groups of the reply at most; 0: only the totals.
    limit: int


class ExperimentGroupsBody(_ExperimentGroupsBody, total=False):
    # Which experiments; left out: all. docs/query.md describes the language.
    query: str
    # Only experiments in this folder and below it.
    folderId: str
    # The fields of `columns` in the groups.
    columns: list[str]
    # The first one decides, the next ones among equals, finally the keys. Groups without a value come last in either direction. Default: the most experiments first.
    sort: list[GroupSort]
    # Groups to leave out before the first one.
    offset: int


class ExperimentGroupsReply(TypedDict):
    groups: list[ExperimentGroup]
    # All groups.
    total: int
    # Experiments that the query finds: all of them are in groups.
    experiments: int
    # Keys and columns include everything acknowledged until this time.
    asOfMs: int
    # Experiments with metrics or meta not up to date, among those that the query finds or may find later.
    behind: int
    # Those of them behind for more than ten seconds.
    late: int


class _ExperimentMoveDataByExperimentId(TypedDict):
    # The experiment by its id.
    experimentId: str
    # Target folder; null: the root.
    folderId: str | None


class _ExperimentMoveDataByExperimentSlug(TypedDict):
    # The experiment by its slug.
    experimentSlug: str
    # Target folder; null: the root.
    folderId: str | None


ExperimentMoveData = Union[_ExperimentMoveDataByExperimentId, _ExperimentMoveDataByExperimentSlug]


class ExperimentMovedData(TypedDict):
    # Assigned when the slug was opened first.
    experimentId: str
    # null: at the root.
    folderId: str | None


class ExperimentNode(TypedDict):
    # Assigned when the slug was opened first.
    experimentId: str
    slug: str
    description: str
    status: Literal["running", "done", "error"]
    # When the slug was opened first.
    createdAtMs: int
    # Last open, move, edit, start, done or error.
    updatedAtMs: int


class _ExperimentOpenData(TypedDict):
    # Names the experiment within the organization; an opaque key, slashes allowed.
    slug: str
    # Replaced on every open; may be empty.
    description: str
    # Replaced on every open. A JSON object, at most 65536 bytes compact.
    meta: dict[str, Any]


class ExperimentOpenData(_ExperimentOpenData, total=False):
    # The `updatedAtMs` that the caller has seen under this slug; null: there was no experiment. Where it is another one by now: `experiment_changed`, and nothing is replaced.
    seenUpdatedAtMs: int | None


class ExperimentOpenedData(TypedDict):
    # Assigned when the slug was opened first.
    experimentId: str
    # Bearer credential of the experiment endpoint, `ik_…`.
    experimentToken: str
    # When the token expires: 24 hours after issue.
    expiresAtMs: int


class _ExperimentQueryDataByExperimentId(TypedDict):
    # The experiment by its id.
    experimentId: str


class _ExperimentQueryDataByExperimentSlug(TypedDict):
    # The experiment by its slug.
    experimentSlug: str


ExperimentQueryData = Union[_ExperimentQueryDataByExperimentId, _ExperimentQueryDataByExperimentSlug]


class ExperimentRecord(TypedDict):
    # Assigned when the slug was opened first.
    experimentId: str
    slug: str
    description: str
    # As sent with the last open. A JSON object, at most 65536 bytes compact.
    meta: dict[str, Any]
    status: Literal["running", "done", "error"]
    # Message of the last error event.
    error: str | None
    # Meta of the last error event. A JSON object, at most 65536 bytes compact.
    errorMeta: dict[str, Any] | None
    # When the slug was opened first.
    createdAtMs: int
    # Last open, move, edit, start, done or error.
    updatedAtMs: int
    # Last start; null: never.
    startedAtMs: int | None
    # Last done; null: never.
    doneAtMs: int | None
    # Last error; null: never.
    errorAtMs: int | None
    # Last start, done or error; before the first one, when it was opened first.
    statusAtMs: int
    # Its folder; null: the root.
    folderId: str | None


class ExperimentRevision(TypedDict):
    # Assigned when the slug was opened first.
    experimentId: str
    # Only grows while the installation lives, and when a backup is restored (docs/backup.md).
    revision: int
    # Ordered by name, bytewise.
    series: list[SeriesRevision]


class ExperimentSeriesDoneData(TypedDict):
    # Series reported.
    series: int
    # Data records sent.
    batches: int
    # Points sent.
    points: int


class _ExperimentSeriesQueryData(TypedDict):
    # The experiment; an unknown id has no series.
    experimentId: str
    # All must match; empty: every metadata partition.
    filter: list[FilterPredicate]
    xAxis: Literal["step", "timestamp"]


class ExperimentSeriesQueryData(_ExperimentSeriesQueryData, total=False):
    # Default: every series. A repeated name counts once.
    seriesNames: list[str]


class ExperimentSeriesSeriesData(TypedDict):
    experimentId: str
    seriesName: str
    # Data records sent.
    batches: int
    # Points sent.
    points: int


class ExperimentStartData(TypedDict):
    # Must equal the id in the URL.
    experimentId: str


class ExperimentStartedData(TypedDict):
    # Assigned when the slug was opened first.
    experimentId: str
    status: Literal["running", "done", "error"]
    # Server time of this change.
    statusAtMs: int


class ExperimentTokenRefreshData(TypedDict):
    # The experiment the token belongs to.
    experimentId: str
    # A token that is still valid; it works at most 30 seconds longer.
    experimentToken: str


class ExperimentTokenRefreshedData(TypedDict):
    # Assigned when the slug was opened first.
    experimentId: str
    # Bearer credential of the experiment endpoint, `ik_…`.
    experimentToken: str
    # When the token expires: 24 hours after issue.
    expiresAtMs: int


class ExperimentTokenRevokeData(TypedDict):
    # Must equal the id in the URL.
    experimentId: str


class ExperimentTokenRevokedData(TypedDict):
    # Assigned when the slug was opened first.
    experimentId: str


class ExperimentUpload(TypedDict):
    # Its path.
    artifact: str
    version: str
    # The upload.
    upload: str
    # When it began.
    beganAtMs: int
    # Its files together.
    bytes: int
    # How many they are.
    files: int


class ExperimentVersion(TypedDict):
    # Its path.
    artifact: str
    version: str
    # The step in the version's meta; null: there is none.
    step: int | None
    # When it was committed.
    committedAtMs: int
    # Its files together.
    bytes: int
    # How many they are.
    files: int
    # The epoch of its writer.
    epoch: int


class ExperimentsQueryData(TypedDict):
    # May be empty; a repeated id counts once.
    experimentIds: list[str]


class ExperimentsResultData(TypedDict):
    # In request order.
    experiments: list[ExperimentRecord]
    # Ids that do not exist in the organization, in request order.
    missingExperimentIds: list[str]


class _ExperimentsRule(TypedDict):
    kind: Literal["experiments"]
    # Applies to experiments in this folder and below it; null: all experiments.
    folderId: str | None
    # Days since the end and the last point of an experiment; null: the rule moves nothing, and what other rules say of the folders above does not reach here.
    olderThanDays: int | None
    # Only these statuses. `running` includes experiments whose writer died.
    statuses: list[Literal["running", "done", "error"]]


class ExperimentsRule(_ExperimentsRule, total=False):
    # Only experiments that this query finds; default: all. docs/query.md describes the language.
    query: str
    # Except experiments that this query finds, such as `tag = keep`. docs/query.md describes the language.
    unless: str
    keepBest: KeptBest


class ExponentialSmoothing(TypedDict):
    kind: Literal["ema"]
    # Weight of earlier points against each new one: an exponential moving average whose start is corrected, as TensorBoard draws it.
    weight: float


class FieldsBody(TypedDict, total=False):
    # Only names, or values, that fit this search: words in any order, in which `*` stands for anything, or `/regular expression/`; letters A to Z without regard to case (docs/query.md); those that begin with it come first. Names are compared with and without `meta.` and `metric.` before them. Left out: all.
    text: str
    # List the values of this field: of meta, or of name, tag, group, commit, folder or artifact.
    field: str
    # Left out: 200.
    limit: int
    # True: if no name fits, also those that the text may mean.
    near: bool


class _FieldsReply(TypedDict):
    # Empty when the values of a field are asked for.
    fields: list[KnownField]
    # Values of the field, the most common first. For a field of meta, at most 20000 values that contain the text are read, those of the newest experiments.
    values: list[KnownValue]
    # True: there are no others.
    isWhole: bool


class FieldsReply(_FieldsReply, total=False):
    # Fields that the text may mean, the nearest first, at most three; left out unless asked for.
    near: list[str]


class FileAddressReply(TypedDict):
    # GET it, with ranges if you like.
    url: str
    # When it ends.
    expiresAtMs: int
    # The size of the file.
    bytes: int


class _FilterPredicate(TypedDict):
    # The key that a partition must have.
    metadataKey: str


class FilterPredicate(_FilterPredicate, total=False):
    """Without metadataValue it requires the key to exist; with it, the exact value."""

    # The exact value it must have; left out: any.
    metadataValue: str


class Folder(TypedDict):
    # Assigned by the service.
    folderId: str
    name: str
    # null: a root folder.
    parentFolderId: str | None


class FolderCreateData(TypedDict):
    # Unique within the parent folder; compared exactly, stored as sent.
    name: str
    # The parent folder; null: the root.
    parentFolderId: str | None


class FolderDeleteData(TypedDict):
    # The folder to delete; it must be empty.
    folderId: str


class FolderDeletedData(TypedDict):
    # The folder that is gone.
    folderId: str


class FolderNode(TypedDict):
    # Assigned by the service.
    folderId: str
    name: str
    # null: a root folder.
    parentFolderId: str | None
    # Ordered by name, bytewise.
    folders: list[FolderNode]
    # Ordered by slug, bytewise.
    experiments: list[ExperimentNode]


class FolderTree(TypedDict):
    # Root folders, ordered by name, bytewise.
    folders: list[FolderNode]
    # Experiments without a folder, ordered by slug, bytewise.
    experiments: list[ExperimentNode]


class FolderTreeReadData(TypedDict):
    pass


class _FolderUpdateData(TypedDict):
    # The folder to change.
    folderId: str


class FolderUpdateData(_FolderUpdateData, total=False):
    """Renames or moves a folder; a field that is left out stays as it is."""

    # Unique within the parent folder; compared exactly, stored as sent.
    name: str
    # The parent folder; null: the root.
    parentFolderId: str | None


class FoldersReply(TypedDict):
    # Bytewise by name.
    folders: list[CountedFolder]
    # Of the organization.
    experiments: int
    # In no folder.
    experimentsAtRoot: int


class FoundLoggedSeries(TypedDict):
    kind: Literal["image", "audio", "video", "table", "histogram", "html", "plot", "plotly", "text"]
    name: str
    # What was logged in it, in all of the experiments together.
    items: int
    # How many of the experiments have it.
    experiments: int
    # The first step at which something was logged.
    firstStep: int
    # The last one.
    lastStep: int


class FreeSlugBody(TypedDict):
    # Of an experiment that was purged.
    slug: str


class GaussianSmoothing(TypedDict):
    kind: Literal["gauss"]
    # The standard deviation, in points; neighbours up to three of them away count, on both sides.
    points: float


class GcpConnection(TypedDict):
    cloud: Literal["gcp"]
    gcp: GcpIdentifiers


class GcpIdentifiers(TypedDict):
    projectId: str
    projectNumber: str
    poolId: str
    providerId: str
    serviceAccountEmail: str


class _GroupColumn(TypedDict):
    # Experiments with a number there.
    count: int
    # Null, as the others: no experiment has a number.
    mean: float | None
    min: float | None
    max: float | None


class GroupColumn(_GroupColumn, total=False):
    # Experiments with a value that is no number, as a text or NaN. Left out: none.
    others: int


class _GroupCurve(TypedDict):
    # One for each key, in the order of the request.
    values: list[GroupValue]
    # Experiments in it that have the series.
    experiments: int
    # Its lines: partitions of these experiments.
    members: int
    # Points of its members in the range; all of them were considered.
    points: int
    # Columns in which any member has a value, ascending.
    column: list[int]
    # Number of members with a value there.
    count: list[int]
    # The mean of their values.
    mean: list[float]
    # The least point of a member there, or the least interpolated value.
    min: list[float]
    # The largest one, likewise.
    max: list[float]
    # Standard deviation of their values, of a sample (n - 1); 0 of one member. The standard error is this, divided by the square root of `count`.
    deviation: list[float]
    recorded: GroupRecorded


class GroupCurve(_GroupCurve, total=False):
    # Points that have no place on the axis, as in an overview.
    unplaced: int
    # Members that cannot be read, because stored data is damaged; they count nowhere else.
    damaged: int
    # Members that have values that are not finite; they are not points. Left out: none.
    nonfinite: int
    # The last place of a point before the range.
    before: float
    # The first place of a point behind it.
    after: float


class GroupMember(TypedDict):
    # One of `membersOf`.
    experimentId: str
    # The metadata of the partition.
    metadata: dict[str, str]
    # A place in `groups`; null: one of the others.
    group: int | None


class GroupRecorded(TypedDict):
    """Where members have points; elsewhere their values are interpolated."""

    # Columns in which any member has a point, ascending.
    column: list[int]
    # Number of members with a point there.
    members: list[int]
    # The place of all these points; null: there are several in the column.
    x: list[float | None]


class GroupRole(TypedDict):
    # As the provider names it in the claim, or by SCIM.
    group: str
    role: Literal["owner", "admin", "member", "viewer"]


class _GroupSort(TypedDict):
    of: Literal["experiments", "key", "count", "mean", "min", "max"]


class GroupSort(_GroupSort, total=False):
    # Which key of `by`, or which column, from 0; not with `experiments`. Default: 0.
    at: int
    # Left out: ascending.
    descending: bool


class GroupValue(TypedDict):
    """The value of a key that the members of a group have in common."""

    kind: Literal["none", "null", "boolean", "number", "text", "list", "object"]
    # A text itself, a folder's path, other values as JSON; as in the table, of at most 256 bytes. Empty for `none`: it lacks the key.
    text: str


class _GroupsBody(TypedDict):
    # The series that is reduced.
    seriesName: str
    # Fields of meta, or slug, id, name, status, state, attempts, folder, tag, group, commit, description or error. Lists, tags included, are compared as wholes. None: all experiments are one group.
    by: list[str]
    xAxis: Literal["step", "offset", "elapsed", "timestamp", "metric"]
    # Number of equally wide columns of the range.
    columns: int


class GroupsBody(_GroupsBody, total=False):
    # Which experiments; left out: all. docs/query.md describes the language.
    query: str
    # Only experiments in this folder and below it.
    folderId: str
    # The experiments, instead of a query.
    experimentIds: list[str]
    combined: SeriesCombination
    # All must match; left out: every metadata partition.
    filter: list[FilterPredicate]
    # Further keys, behind those of `by`.
    byPartition: list[str]
    # With `metric`, and only then: the series of the same experiment whose value at the same step, in the partition of the same metadata, is a point's x.
    xSeriesName: str
    xScale: Literal["linear", "log"]
    # Beginning of the range, in units of the axis; left out: at the first point.
    start: float
    # End of the range, exclusive; default: after the last point.
    end: float
    smooth: Smoothing
    # Groups of the reply, those with the most members. Default: 20.
    groupsMax: int
    # Experiments of which the reply says in which groups their lines are.
    membersOf: list[str]


class _GroupsReply(TypedDict):
    xAxis: Literal["step", "offset", "elapsed", "timestamp", "metric"]
    xScale: Literal["linear", "log"]
    # Beginning of the first column.
    start: float
    # End of the last column, exclusive.
    end: float
    # As asked for.
    columns: int
    # Experiments that the query finds.
    experiments: int
    # Those of them that have no points of the series in any group.
    withoutSeries: int
    # The group with the most members first.
    groups: list[GroupCurve]
    # The lines of the experiments of `membersOf`.
    members: list[GroupMember]
    others: OtherGroups
    # Values of keys include everything acknowledged until this time.
    asOfMs: int
    # Experiments with metrics or meta not up to date, among those that the query finds or may find later.
    behind: int
    # Those of them behind for more than ten seconds.
    late: int


class GroupsReply(_GroupsReply, total=False):
    # With `metric`, and only then: the series of the same experiment whose value at the same step, in the partition of the same metadata, is a point's x.
    xSeriesName: str


class GuestLink(TypedDict):
    # Assigned by the service.
    id: str
    name: str
    kind: Literal["experiment", "comparison", "report"]
    # The experiments that it shows, as they were found when it was made.
    experimentIds: list[str]
    # The report that it shows; null: none.
    reportId: str | None
    # For review: neither names of people, runs and the organization, nor texts that people or scripts wrote.
    isAnonymous: bool
    # Whether it shows consoles.
    showsConsole: bool
    # Whether it shows media and files of artifacts and runs, and gives them out.
    showsFiles: bool
    # When it was made. ISO 8601, UTC, milliseconds.
    created: str
    # E-mail address of the person who made it.
    createdBy: str
    # When it ends. ISO 8601, UTC, milliseconds.
    expires: str
    # When it was opened last; null: never. ISO 8601, UTC, milliseconds.
    lastUsed: str | None
    # How often it was opened.
    uses: int


class GuestLinksReply(TypedDict):
    # Valid links, the newest first.
    links: list[GuestLink]
    # Whether members may make links; admins and owners always may.
    membersShare: bool


class GuestSettings(TypedDict):
    # Whether members may make guest links.
    membersShare: bool


class GuestVisit(TypedDict):
    # For the header x-csrf-token of requests with the cookie.
    csrf: str
    # When the link ends. ISO 8601, UTC, milliseconds.
    expires: str
    # Its name; null: the link is anonymous.
    organization: str | None
    kind: Literal["experiment", "comparison", "report"]
    # The experiments that it shows, as they were found when it was made.
    experimentIds: list[str]
    # The report that it shows; null: none.
    reportId: str | None
    # For review: neither names of people, runs and the organization, nor texts that people or scripts wrote.
    isAnonymous: bool
    # Whether it shows consoles.
    showsConsole: bool
    # Whether it shows media and files of artifacts and runs, and gives them out.
    showsFiles: bool


class Health(TypedDict):
    status: Literal["ok", "starting", "stopping", "unavailable"]


class HoldingModel(TypedDict):
    # Name of a registered model that has it.
    model: str
    # The number of its version there.
    version: int
    # Of the model, that point there.
    aliases: list[str]


class InputDataset(TypedDict):
    name: str
    digest: str
    sourceType: str
    source: str
    tags: list[Attribute]


class Invitation(TypedDict):
    # Assigned by the service.
    id: str
    # Only this address can accept it; null: any.
    email: str | None
    role: Literal["owner", "admin", "member", "viewer"]
    # When it was made. ISO 8601, UTC, milliseconds.
    created: str
    createdBy: str
    # When the link ends. ISO 8601, UTC, milliseconds.
    expires: str


class InvitationsReply(TypedDict):
    invitations: list[Invitation]


class IssuerConfiguration(TypedDict):
    # Exactly the `iss` of tokens.
    issuer: str
    jwks_uri: str
    response_types_supported: list[str]
    subject_types_supported: list[str]
    id_token_signing_alg_values_supported: list[str]
    scopes_supported: list[str]
    claims_supported: list[str]


class IssuerKeySet(TypedDict):
    keys: list[IssuerPublicKey]


class IssuerPublicKey(TypedDict):
    kty: Literal["RSA"]
    n: str
    e: str
    alg: Literal["RS256"]
    use: Literal["sig"]
    kid: str


class KeptBest(TypedDict):
    """Except the best of all experiments of the rule, however old."""

    # A metric as queries spell it: `metric.loss.min`, `metric.acc`.
    field: str
    order: Literal["least", "greatest"]
    count: int


class KnownField(TypedDict):
    # In the language's spelling.
    field: str
    # Number of experiments that have it, counted up to 1000.
    experiments: int
    # More than `experiments` may have it.
    isMinimum: bool


class KnownValue(TypedDict):
    value: float | str | bool | None
    # The value in the language's spelling.
    text: str
    # How many have it.
    experiments: int
    # More than `experiments` may have it.
    isMinimum: bool


class Layout(TypedDict, total=False):
    # Charts at the top, in this order.
    pinned: list[str]
    # Charts that are hidden; a name with `*` is a pattern.
    hidden: list[str]
    # Charts that come first in their section, in this order.
    order: list[str]
    # In this order, before those by the first part of a name.
    sections: list[LayoutSection]
    # Charts with settings of their own.
    charts: list[LayoutChart]
    # Charts side by side; absent: by the width of the page.
    columns: int
    # Height of plots, in CSS pixels.
    height: int


class _LayoutChart(TypedDict):
    # The metric that it shows; of a chart with lines, any text.
    key: str


class LayoutChart(_LayoutChart, total=False):
    # The metrics in it; absent: the one of the key.
    lines: list[str]
    operator: Literal["plus", "minus", "times", "dividedBy"]
    # Absent: the metrics.
    title: str
    # Axes of its own, as the query of a chart's page: x, xs, r, y, yr, s. What is absent is the page's.
    view: str
    # Its section; absent: by the patterns of the sections.
    section: str
    # Columns of the page that it covers; default: 1.
    columns: int
    # Height of its plot, in CSS pixels.
    height: int


class _LayoutSection(TypedDict):
    # Its heading.
    name: str


class LayoutSection(_LayoutSection, total=False):
    # The metrics in it; absent: those of the first part of their name, as without a workspace.
    patterns: list[str]
    # Default: only `system` is closed.
    isClosed: bool


class LineageEdge(TypedDict):
    # The id of what was used, or of the run that wrote.
    source: str
    # The id of the run that used it, or of what was written.
    target: str
    # What it was to the run, such as `validation`; may be empty.
    role: str
    # How the run asked for it, such as `@best`; may be empty.
    named: str
    # The step at which the run wrote it.
    step: int | None
    # When it was first used, or when it was written; null: unknown.
    atMs: int | None


class LineageGraph(TypedDict):
    # The id of the node from which the walk began.
    root: str
    # In the order of the walk, level by level.
    nodes: list[LineageGraphNode]
    # At most 10000.
    edges: list[LineageEdge]
    # True: nodes or links are missing because of their number.
    isCut: bool
    # True: after an upgrade, what was recorded before it is still looked through, and links may be missing.
    isBehind: bool


class _LineageGraphNode(TypedDict):
    # Names it in this reply.
    id: str
    kind: Literal["run", "version", "model", "dataset"]
    # A run's name in lists, the artifact's path, or the name of the model or data set.
    name: str
    state: Literal["present", "trashed", "deleted", "unknown"]
    # Links to the first node; below 0: it was made of this one.
    distance: int
    # How many of its neighbours on the walk's ways are missing.
    leftOut: int


class LineageGraphNode(_LineageGraphNode, total=False):
    # Of a run.
    experimentId: str
    # Of a run.
    slug: str
    # Of a run that is present.
    status: str
    # Of a version.
    version: str
    # The files of a version that is present.
    bytes: int
    # Of a model.
    modelId: str
    # Of a data set.
    digest: str


class LineageLink(TypedDict):
    node: LineageNode
    # What it was to the run, such as `validation`; may be empty.
    role: str
    # How the run asked for it, such as `@best`; may be empty.
    named: str
    # The step at which the run wrote it.
    step: int | None
    # When it was first used, or when it was written; null: unknown.
    atMs: int | None


class _LineageNode(TypedDict):
    # Names it in this reply.
    id: str
    kind: Literal["run", "version", "model", "dataset"]
    # A run's name in lists, the artifact's path, or the name of the model or data set.
    name: str
    state: Literal["present", "trashed", "deleted", "unknown"]


class LineageNode(_LineageNode, total=False):
    # Of a run.
    experimentId: str
    # Of a run.
    slug: str
    # Of a run that is present.
    status: str
    # Of a version.
    version: str
    # The files of a version that is present.
    bytes: int
    # Of a model.
    modelId: str
    # Of a data set.
    digest: str


class _LinkVersionBody(TypedDict):
    # Path of the artifact.
    artifact: str
    # Name of the version, `latest`, or an alias as `@best`.
    version: str


class LinkVersionBody(_LinkVersionBody, total=False):
    # Of this version of the model.
    description: str


class ListedArtifact(TypedDict):
    # Its path.
    artifact: str
    # Committed versions.
    versions: int
    # Bytes of all versions.
    bytes: int
    # The highest version; null: there is none yet.
    latest: str | None
    # When the latest version was committed.
    lastCommitAtMs: int | None
    # Label of the latest version's writer.
    source: str | None
    location: ViewedLocation | None
    # Epoch of the newest writer; 0: never opened.
    epoch: int


class ListedNote(TypedDict):
    # Its name.
    note: str
    # Its size.
    bytes: int
    # When it was written last.
    changedAtMs: int


class _Liveness(TypedDict):
    # Attempts of the experiment; what follows is of the newest one.
    attempts: int
    state: Literal["running", "silent", "finished", "exited", "killed", "preempted", "gone"]
    # When the attempt ended; silent: when it was seen alive last; running: when it began.
    sinceMs: int
    # When a process of it was seen alive last, of those that have not ended where there are any.
    beatAtMs: int


class Liveness(_Liveness, total=False):
    exitCode: int
    signal: int


class Location(TypedDict):
    # Assigned by the service.
    id: str
    name: str
    kind: Literal["created", "s3"]
    cloud: str
    region: str
    # How clients talk to it: s3, gcs or azure.
    protocol: str
    endpoint: str
    bucket: str
    # Prefix of all keys in the bucket; may be empty.
    path: str
    # The connection that made a created location.
    connection: str | None
    # Used if no better location fits; at most one location is the fallback.
    fallback: bool
    # The default location of its cloud.
    default: bool
    state: Literal["active", "retired"]
    # When it was added. ISO 8601, UTC, milliseconds.
    created: str


class _LoggedBins(TypedDict):
    # The edges of the bins, one more than these.
    bins: list[float]
    # What lies in each bin.
    values: list[float]


class LoggedBins(_LoggedBins, total=False):
    # How many bins the file has, if neighbouring ones were summed for the annotation.
    of: int


class _LoggedFile(TypedDict):
    # Its name in the version, or in the run.
    path: str
    # Its size.
    bytes: int | None
    # As the end of its name says, such as `image/png`; null: unknown. It is what a client logged, not what was checked.
    mediaType: str | None


class LoggedFile(_LoggedFile, total=False):
    # The artifact that has it: `file-address` and `file`.
    artifact: str
    # The version of the artifact.
    version: str
    # Instead of artifact and version: the run to which MLflow's client wrote it: `run-file-address` and `run-file`.
    owner: str


class LoggedHistogramColumn(TypedDict):
    # The first step in it.
    step: int
    # The last one: another than the first if steps were merged.
    lastStep: int
    # Histograms summed in it.
    items: int
    # What lies in each bin: the counts of the logged bins, divided by area where edges differ.
    counts: list[float]
    # The sum of all logged counts in it.
    total: float
    # What lies below the first bin.
    below: float
    # What lies above the last bin.
    above: float
    # Values that are NaN or infinite.
    nonfinite: int


class LoggedHistogramMap(TypedDict):
    # The experiment.
    experimentId: str
    # Of the points beside which they were logged: a map for each.
    metadata: dict[str, str]
    # In the order of steps.
    columns: list[LoggedHistogramColumn]
    # Histograms in the range.
    items: int
    # Of these, those whose numbers are only in their files, as older clients logged them: they are in no column.
    files: int


class _LoggedHistogramsBody(TypedDict):
    # The experiments, in the order of the reply.
    experimentIds: list[str]
    # The name under which it was logged.
    name: str


class LoggedHistogramsBody(_LoggedHistogramsBody, total=False):
    # Only steps from this one on.
    start: int
    # Only steps below this.
    end: int
    # Most columns of a map; fewer where many maps would be too large. Default: 256.
    columns: int
    # Bins of equal width into which the values' range is divided. Default: 64.
    bins: int
    # The lower edge of the first bin. Default: of all histograms.
    low: float
    # The upper edge of the last bin. Default: of all histograms.
    high: float


class LoggedHistogramsReply(TypedDict):
    # The lower edge of the first bin of every column.
    low: float
    # The upper edge of the last bin.
    high: float
    # Bins of every column, of equal width.
    bins: int
    maps: list[LoggedHistogramMap]
    # True: after an upgrade, what was logged before it is still looked through, and some of it may be missing.
    isBehind: bool


class _LoggedItem(TypedDict):
    # The experiment.
    experimentId: str
    # The step at which it was logged.
    step: int
    # When it was logged, as the client says; otherwise when it came.
    timestampMs: int
    # Of the point beside which it was logged: for instance its rank.
    metadata: dict[str, str]


class LoggedItem(_LoggedItem, total=False):
    # Its place among those that one call logged, from 0.
    index: int
    # How many that call logged.
    count: int
    caption: str
    # Of a text: itself, at most 16000.
    text: str
    file: LoggedFile
    # Of an image or video, in pixels, if known.
    width: int
    # Its height.
    height: int
    # Of a table, if known.
    rows: int
    # Its columns.
    columns: int
    histogram: LoggedBins
    # The kind of a plot, such as `line`.
    plot: str


class _LoggedItemsBody(TypedDict):
    # The experiments, in the order of the reply.
    experimentIds: list[str]
    kind: Literal["image", "audio", "video", "table", "histogram", "html", "plot", "plotly", "text"]
    # The name under which it was logged.
    name: str


class LoggedItemsBody(_LoggedItemsBody, total=False):
    # Only steps from this one on.
    start: int
    # Only steps below this.
    end: int
    # From the last step to the first. Default: false.
    newestFirst: bool
    # Most items of the reply. Default: 100.
    limit: int
    # `next` of the page before; the rest of the request is the same.
    after: str


class LoggedItemsReply(TypedDict):
    # By experiment in the order of the request, then by step, then by arrival.
    items: list[LoggedItem]
    # Pass it as `after`; null: these are the last.
    next: str | None
    # True: after an upgrade, what was logged before it is still looked through, and some of it may be missing.
    isBehind: bool


class _LoggedNamesBody(TypedDict):
    # The experiments, in the order of the reply.
    experimentIds: list[str]


class LoggedNamesBody(_LoggedNamesBody, total=False):
    # Only series of these kinds. Default: all.
    kinds: list[Literal["image", "audio", "video", "table", "histogram", "html", "plot", "plotly", "text"]]
    # Only names that fit this search: words in any order, in which `*` stands for anything, or `/regular expression/`; letters A to Z without regard to case (docs/query.md).
    text: str
    # Most series of the reply. Default: 1000.
    limit: int


class LoggedNamesReply(TypedDict):
    # By name, then by kind.
    series: list[FoundLoggedSeries]
    # Series that the request finds; more than those of the reply were cut.
    found: int
    # True: after an upgrade, what was logged before it is still looked through, and some of it may be missing.
    isBehind: bool


class LoggedNearestBody(TypedDict):
    # The experiments, in the order of the reply.
    experimentIds: list[str]
    # The series, by kind and name.
    series: list[LoggedSeries]
    # For each series of each experiment: the items at the step nearest to this one.
    step: int


class LoggedNearestReply(TypedDict):
    # In the order of the series, then of the experiments, then of arrival. Of two equally near steps it is the lower one. At most 108 of one series and experiment.
    items: list[NearestLoggedItem]
    # Whether some were left out.
    truncated: bool
    # True: after an upgrade, what was logged before it is still looked through, and some of it may be missing.
    isBehind: bool


class LoggedSeries(TypedDict):
    kind: Literal["image", "audio", "video", "table", "histogram", "html", "plot", "plotly", "text"]
    # The name under which it was logged.
    name: str


class _LoggedStepsBody(TypedDict):
    # The experiments, in the order of the reply.
    experimentIds: list[str]
    # The series, by kind and name.
    series: list[LoggedSeries]


class LoggedStepsBody(_LoggedStepsBody, total=False):
    # Only steps from this one on.
    start: int
    # Only steps below this.
    end: int
    # Most steps of the reply. Default: 5000.
    stepsMax: int


class LoggedStepsReply(TypedDict):
    # Steps at which any of the series has something in any of the experiments, in order, each once. If there are more than `stepsMax`, every n-th of them, with the first and the last.
    steps: list[int]
    # How many there are.
    found: int
    # Whether there may be more: of very many items only the first of each series are counted. The last step is in `steps` anyway.
    isMinimum: bool
    # True: after an upgrade, what was logged before it is still looked through, and some of it may be missing.
    isBehind: bool


class LoggedTextLane(TypedDict):
    # The experiment.
    experimentId: str
    # Of the points beside which it was logged: a lane for each.
    metadata: dict[str, str]
    # In the order of steps. The first one may have begun before `start`: it is the text that holds there.
    states: list[LoggedTextState]


class LoggedTextState(TypedDict):
    # Its first 256 characters.
    text: str
    # Whether the text is longer.
    isCut: bool
    # From this step on.
    step: int
    # When it was logged first.
    timestampMs: int
    # The step of the next other text; null: nothing else came in the range.
    endStep: int | None
    # How often in a row this text was logged.
    items: int


class _LoggedTextsBody(TypedDict):
    # The experiments, in the order of the reply.
    experimentIds: list[str]
    # The name under which it was logged.
    name: str


class LoggedTextsBody(_LoggedTextsBody, total=False):
    # Only steps from this one on.
    start: int
    # Only steps below this.
    end: int
    # Most states of the reply. Default: 5000.
    statesMax: int


class LoggedTextsReply(TypedDict):
    lanes: list[LoggedTextLane]
    # The lanes are complete up to here; go on with it as `start`. Null: they are complete.
    end: int | None
    # True: after an upgrade, what was logged before it is still looked through, and some of it may be missing.
    isBehind: bool


class _MediaBlock(TypedDict):
    kind: Literal["media"]
    media: Literal["image", "audio", "video", "table", "histogram", "html", "plot", "plotly", "text"]
    # The name under which the experiments logged it: pictures, tables, plots and so on.
    name: str
    # Empty: the name.
    title: str


class MediaBlock(_MediaBlock, total=False):
    width: Literal["half"]
    experimentIds: list[str]
    # Instead of the ids: a query, run at each reading. docs/query.md describes the language.
    query: str
    # With the query: only experiments in this folder and below it.
    folderId: str
    # With the query, of which the first 100 are drawn: fields separated by commas, each optionally followed by `desc`. Default: the newest first. docs/query.md describes the language.
    sort: str
    # With the query: how many of the experiments that it finds first are shown; default: 6.
    limit: int
    # The items at the step nearest to this one; absent: the newest.
    step: int


class MemberOrganization(TypedDict):
    # The organization.
    id: str
    name: str
    role: Literal["owner", "admin", "member", "viewer"]


class _MetaEdit(TypedDict):
    # Member names from the root of the meta: `["optimizer", "lr"]`. All but the last are those of objects that are there; a list is one value, changed as a whole.
    path: list[str]


class MetaEdit(_MetaEdit, total=False):
    # The value that the client saw; missing: none.
    before: Any
    # The new value, kept digit by digit; missing: none.
    after: Any


class MetricData(TypedDict):
    # Must equal the id in the URL.
    experimentId: str
    # Unix milliseconds, 0 to 2^53 - 1.
    timestampMs: int
    # 0 to 2^53 - 2.
    step: int
    # Names the series; printable ASCII, 1 to 256 bytes.
    metricName: str
    # A finite double; -0 is stored as 0.
    metricValue: float
    # Splits the series into partitions, one for each distinct content. Keys at most 128 bytes, values at most 512, canonical JSON (RFC 8785) at most 4,096.
    meta: dict[str, str]


class MetricRecordedData(TypedDict):
    # The experiment.
    experimentId: str
    metricName: str
    # True: the same messageId with the same payload was already stored; nothing was added.
    deduplicated: bool


class MissingMetric(TypedDict):
    # A metric of the condition that the experiment has not.
    field: str
    # Metrics of the experiment that may be meant, the nearest first; at most three.
    near: list[str]


class MlflowFailure(TypedDict):
    """A request of an MLflow client was refused."""

    # A code of MLflow's.
    error_code: str
    # A sentence for people.
    message: str


class MlflowLocations(TypedDict):
    # Empty, the default: none is allowed.
    allowed: list[str]


class MlflowReply(TypedDict):
    """A message of MLflow's REST interface; 64-bit integers have all their digits."""



class MlflowRequest(TypedDict):
    """A message of MLflow's REST interface, as protobuf prints it: unknown fields are ignored."""



class ModelAlias(TypedDict):
    # Its name.
    alias: str
    # The version that it points to.
    version: int


class ModelEntry(TypedDict):
    # Its name.
    model: str
    description: str
    # The highest version; null: there is none.
    latest: int | None
    # By name.
    aliases: list[ModelAlias]
    # When it was registered.
    createdAtMs: int
    # When it, its versions or stages were changed last.
    changedAtMs: int


class ModelExperiment(TypedDict):
    # The experiment from which it is.
    experimentId: str
    slug: str
    # Its name in lists, if it is not the slug.
    name: str | None


class ModelList(TypedDict):
    models: list[ModelEntry]
    # Pass it as `after`; null: this was the last page.
    next: str | None


class ModelTag(TypedDict):
    key: str
    value: str


class _MoveModelAliasBody(TypedDict):
    # The version to point to.
    version: int


class MoveModelAliasBody(_MoveModelAliasBody, total=False):
    # Move it only from this version; null: only if there is no such alias.
    expected: int | None


class MovedModelAlias(TypedDict):
    # The version that it pointed to before; null: it is new.
    previous: int | None


class NamedAuditEvent(TypedDict):
    # Sorts by time.
    id: str
    # When it happened. ISO 8601, UTC, milliseconds.
    at: str
    # What happened, for instance apiKey.created.
    action: str
    # Id of the person or key, or `bootstrap`, `provision`, `operator`, `service`, `retention`.
    actor: str
    # Id of the object of the action.
    subject: str | None
    # Network address of the caller.
    address: str | None
    details: dict[str, Any]
    # Display name of the actor: an address or a name; null: it has none.
    actorName: str | None
    # Display name of the subject: an address or a name; null: it has none.
    subjectName: str | None


class _NearestLoggedItem(TypedDict):
    # Place of its series in the request, from 0.
    series: int
    # The experiment.
    experimentId: str
    # The step at which it was logged.
    step: int
    # When it was logged, as the client says; otherwise when it came.
    timestampMs: int
    # Of the point beside which it was logged: for instance its rank.
    metadata: dict[str, str]


class NearestLoggedItem(_NearestLoggedItem, total=False):
    # Its place among those that one call logged, from 0.
    index: int
    # How many that call logged.
    count: int
    caption: str
    # Of a text: itself, at most 16000.
    text: str
    file: LoggedFile
    # Of an image or video, in pixels, if known.
    width: int
    # Its height.
    height: int
    # Of a table, if known.
    rows: int
    # Its columns.
    columns: int
    histogram: LoggedBins
    # The kind of a plot, such as `line`.
    plot: str


class NewAnnotationsReply(TypedDict):
    # Newest first, at most 100,000.
    annotations: list[Annotation]
    # True: there are older ones that are not listed.
    truncated: bool
    # For the next request; opaque.
    next: str


class NewFile(TypedDict):
    # Unique in the version; may contain slashes. `_manifest.json` is reserved.
    name: str
    # Bytes.
    size: int


class _NextAttempt(TypedDict):
    # Its number.
    attempt: int


class NextAttempt(_NextAttempt, total=False):
    """The attempt that went on after it."""

    # The launcher that started it again; left out: somebody.
    by: str


class _NoteBody(TypedDict):
    # The experiment.
    experimentId: str
    # Of the caller's choice, best a UUID: the same one again in the experiment adds nothing.
    messageId: str
    # The text.
    annotation: str


class NoteBody(_NoteBody, total=False):
    # Its place on the axis of steps: `step` of its meta.
    step: int


class NoteReply(TypedDict):
    # The experiment.
    experimentId: str
    # Id of the annotation, also if it was stored before.
    annotationId: str
    # Server time at which it was added.
    createdAtMs: int
    # True: it was stored before, with this messageId.
    deduplicated: bool


class OauthDeviceReply(TypedDict):
    device_code: str
    user_code: str
    verification_uri: str
    expires_in: int
    interval: int


class OauthFailure(TypedDict):
    # A code of RFC 6749 or RFC 8628.
    error: str
    # A sentence for people.
    error_description: str


class OauthMetadata(TypedDict):
    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    device_authorization_endpoint: str
    revocation_endpoint: str
    response_types_supported: list[str]
    grant_types_supported: list[str]
    code_challenge_methods_supported: list[str]
    token_endpoint_auth_methods_supported: list[str]
    revocation_endpoint_auth_methods_supported: list[str]
    authorization_response_iss_parameter_supported: bool


class OauthTokenReply(TypedDict):
    access_token: str
    token_type: Literal["Bearer"]
    expires_in: int
    refresh_token: str


class _OpenArtifactBody(TypedDict):
    mode: Literal["latest", "new", "fork"]
    place: Place


class OpenArtifactBody(_OpenArtifactBody, total=False):
    # With the mode fork: the artifact to fork from.
    source: str


class OpenArtifactReply(TypedDict):
    # Earlier writers are superseded by it.
    epoch: int
    version: VersionRecord | None
    # The artifact that was forked from.
    source: str | None


class OpenConsoleLine(TypedDict):
    stream: Literal["stdout", "stderr", "debug", "info", "warning", "error", "critical"]
    # The line without its end, without escape sequences, and of a line that was written over its last state.
    text: str


class OpenGuestLinkBody(TypedDict):
    # Behind the `#` of the address.
    secret: str


class Organization(TypedDict):
    # Assigned by the service.
    id: str
    name: str


class OrganizationContents(TypedDict):
    # The organization's name.
    name: str
    # Experiments, those in its trash included.
    experiments: int
    # Their points.
    points: int
    # Artifacts.
    artifacts: int
    # Their versions.
    versions: int
    # Bytes of these versions' files.
    artifactBytes: int
    # Buckets of its own in which files may be; the buckets themselves stay.
    buckets: int
    # Members; one without another organization stays a person without any.
    people: int
    # API keys that are good now.
    apiKeys: int


class OrganizationView(TypedDict):
    # The organization.
    orgId: str
    name: str
    # Address of the token issuer of its connections.
    issuer: str
    connections: list[Connection]
    locations: list[Location]
    # Whether an active fallback location exists.
    ready: bool


class OrganizationsReply(TypedDict):
    organizations: list[MemberOrganization]


class OtherGroups(TypedDict):
    """Groups beyond `groupsMax`."""

    # Their number.
    groups: int
    # Their lines, which were not read.
    members: int


class _OverviewBody(TypedDict):
    # Each of their metadata partitions is a line of its own.
    series: list[ViewSelection]
    xAxis: Literal["step", "offset", "elapsed", "timestamp", "metric"]
    # Number of equally wide columns of the range.
    columns: int


class OverviewBody(_OverviewBody, total=False):
    # Number of partitions to skip, in the order of the reply.
    partitionsFrom: int
    # Maximum number of partitions; default: all.
    partitionsMax: int
    # With `metric`, and only then: the series of the same experiment whose value at the same step, in the partition of the same metadata, is a point's x.
    xSeriesName: str
    xScale: Literal["linear", "log"]
    # Beginning of the range, in units of the axis; left out: at the first point.
    start: float
    # End of the range, exclusive; default: after the last point.
    end: float
    # Of many points over steps the service may then move `start` and `end` outwards, by at most 2.5 % of the range, and take fewer columns, at least half of them, so that summaries serve instead of points. The reply says which; each column is exact for them.
    align: bool
    smooth: Smoothing


class OverviewExact(TypedDict):
    """The points themselves, if there are at most four a column."""

    # In units of the axis, ascending.
    x: list[float]
    # Their values.
    value: list[float]


class _OverviewNonfinite(TypedDict):
    value: Literal["NaN", "Infinity", "-Infinity"]


class OverviewNonfinite(_OverviewNonfinite, total=False):
    """The last value of the partition, if it is not finite and in the range; it is not a point. Left out: the last value is a point."""

    # In units of the axis; left out along another metric.
    x: float


class _OverviewPartition(TypedDict):
    experimentId: str
    seriesName: str
    # The partition: the meta that its points have in common.
    metadata: dict[str, str]
    # Points in the range; all of them were considered.
    points: int


class OverviewPartition(_OverviewPartition, total=False):
    """Without points in the range it has neither `exact` nor `reduced`. `before` is the last point before the range and `after` the first one behind it, where there are such: a line is drawn from the one through the range to the other."""

    combined: CombinedLine
    # Points that have no place on the axis: without a partner, or at or below 0 of a logarithmic axis without a requested `start`. Missing: none.
    unplaced: int
    min: OverviewPoint
    max: OverviewPoint
    lastNonfinite: OverviewNonfinite
    # Values that are not finite may follow the last point of the range, which then is not its last value: the partition has some, and here it is not known where each of them is.
    mayEndNonfinite: Literal[True]
    before: OverviewPoint
    after: OverviewPoint
    exact: OverviewExact
    reduced: OverviewReduced
    # On `step` and `offset`, the columns of `reduced` whose steps are known to have been gone over again: with several points of one step, or, of several columns in a row, recorded after the one behind. Left out: none is known.
    repeated: list[float]
    # On `step` and `offset`, where several points have one step: the positions in `exact` of points recorded before the point ahead of them. Left out: there are none.
    back: list[float]
    smoothed: OverviewSmoothed
    error: ViewProblem


class OverviewPoint(TypedDict):
    # In units of the axis.
    x: float
    value: float


class OverviewReduced(TypedDict):
    """The columns, if there are more points."""

    # Columns that have points, by number, ascending.
    column: list[float]
    # The value of its first point on the axis.
    first: list[float]
    # The value of its last point.
    last: list[float]
    # Its least value.
    min: list[float]
    # Its largest value.
    max: list[float]
    # The mean of its values.
    mean: list[float]


class _OverviewReply(TypedDict):
    xAxis: Literal["step", "offset", "elapsed", "timestamp", "metric"]
    xScale: Literal["linear", "log"]
    # Beginning of the first column.
    start: float
    # End of the last column, exclusive.
    end: float
    # As asked for; with `align` they may be fewer.
    columns: int
    # Number of matching partitions, skipped ones included.
    partitions: int
    # Points in the range, of all lines of this reply together.
    points: int
    # In the order of the request, partitions by their metadata.
    series: list[OverviewPartition]


class OverviewReply(_OverviewReply, total=False):
    # With `metric`, and only then: the series of the same experiment whose value at the same step, in the partition of the same metadata, is a point's x.
    xSeriesName: str


class OverviewSmoothed(TypedDict, total=False):
    """The smoothed line, exact or reduced as the original is, with its values at `before` and `after`."""

    before: OverviewPoint
    after: OverviewPoint
    exact: OverviewExact
    reduced: OverviewReduced


class PendingUpload(TypedDict):
    # The upload.
    upload: str
    # The name that it gets at its commit.
    version: str
    # Epoch of its writer; if it is below the artifact's, the upload can never be committed.
    epoch: int
    state: Literal["starting", "pending", "completing"]
    # When it was begun.
    createdAtMs: int
    # When it expires, unless it is committed before.
    expiresAtMs: int
    # How many files it will have.
    files: int
    # Their sizes together, as its writer announced them.
    bytes: int
    location: ViewedLocation
    writer: Place
    # Why a better location was not taken.
    warning: str | None


class PeopleReply(TypedDict):
    people: list[Person]


class Person(TypedDict):
    # The person.
    id: str
    email: str
    role: Literal["owner", "admin", "member", "viewer"]
    # When the person joined the organization. ISO 8601, UTC, milliseconds.
    joined: str


class PersonalToken(TypedDict):
    # Assigned by the service.
    id: str
    name: str
    scope: Literal["read", "write", "role"]
    # Id of the member for whom it acts.
    person: str
    # Their e-mail address, or the name of a service account.
    owner: str
    # When it was made. ISO 8601, UTC, milliseconds.
    created: str
    # Id of the person.
    createdBy: str
    # When it ends; null: when it is revoked, or the membership ends. ISO 8601, UTC, milliseconds.
    expires: str | None
    # To five minutes; null: never used. ISO 8601, UTC, milliseconds.
    lastUsed: str | None


class PersonalTokensReply(TypedDict):
    # Valid tokens, oldest first.
    tokens: list[PersonalToken]


class PinnedChart(TypedDict):
    """The experiments and the range are fixed at that time; points recorded into the range later are shown and counted."""

    # When it was pinned.
    atMs: int
    # Points that it considered then.
    points: int


class Place(TypedDict):
    """Used to choose a location and to count usage."""

    # Where the writer or reader runs: aws, gcp, azure, or a word of your own.
    cloud: str
    # The region in that cloud.
    region: str
    # A label of the writer or reader, for instance its host or job.
    source: str


class PlacedLocation(TypedDict):
    # The location.
    id: str
    cloud: str
    region: str


class Placement(TypedDict):
    location: PlacedLocation
    match: Literal["region", "cloud"] | None


class PointsOfDay(TypedDict):
    # UTC, YYYY-MM-DD.
    day: str
    # Points stored.
    points: int


class _PresentMeta(TypedDict):
    path: list[str]


class PresentMeta(_PresentMeta, total=False):
    # Missing: there is none.
    value: Any


class PresentRevision(TypedDict):
    # Grows with every change; a change names the one that was seen.
    revision: int
    # No other one of the same kind of the person, or of the organization, has it.
    name: str
    # When it was changed last.
    changedAtMs: int
    # E-mail of the person.
    changedBy: str


class PresentTexts(TypedDict, total=False):
    """With conflict: the current values that differ from those that the client saw."""

    description: str
    meta: list[PresentMeta]


class QuotaOfKind(TypedDict):
    kind: Literal["bytes", "experiments", "partitions", "uploads"]
    # The stored amount, as quotas count it.
    used: int
    # null: there is none.
    maximum: int | None


class _ReadAttemptsBody(TypedDict):
    # The experiment.
    experimentId: str


class ReadAttemptsBody(_ReadAttemptsBody, total=False):
    # The newest attempts, so many at most; 1000 without it.
    limit: int


class ReadAttemptsReply(TypedDict):
    # In the order in which they began.
    attempts: list[Attempt]
    # Attempts of the experiment.
    total: int
    # The service's clock, by which all times of this reply are meant.
    nowMs: int
    # A process that has not ended is silent when not heard of for so long.
    silentAfterMs: int


class _ReadConsoleBody(TypedDict):
    # The experiment.
    experimentId: str


class ReadConsoleBody(_ReadConsoleBody, total=False):
    # Lines of these alone.
    sources: list[int]
    # Lines of these alone.
    streams: list[Literal["stdout", "stderr", "debug", "info", "warning", "error", "critical"]]
    # Most lines of the reply; 200 without it.
    limit: int
    # Lines with this number and above it, the first of them.
    first: int
    # Lines with numbers below this, the last of them.
    before: int
    # Lines from the first one that ended then or later, in the order of arrival.
    atMs: int
    # Which sources the reply names: all of the `console` (without it), or those of the lines of the `page` and those with lines that have not ended.
    sourcesOf: Literal["console", "page"]


class ReadConsoleReply(TypedDict):
    # In the order of arrival.
    lines: list[ConsoleLine]
    # Number of the first line that was looked at: `before` for what precedes it.
    first: int
    # Number of the line after the last that was looked at: `first` for what follows.
    next: int
    # Lines of the console.
    total: int
    sources: list[ConsoleSource]


class RecordColumnsReply(TypedDict):
    # Points of the request.
    points: int
    # Points that are stored now.
    stored: int
    # Points that were stored before, with the same content.
    deduplicated: int
    # Points that are not stored, for each reason once.
    refused: list[RefusedPoints]


class _RecordUseBody(TypedDict):
    # The run that used it.
    experimentId: str
    # Path of the artifact.
    artifact: str
    # Name of the version, `latest`, or an alias as `@best`.
    version: str


class RecordUseBody(_RecordUseBody, total=False):
    # What it is to the run, such as `validation`.
    role: str
    # How the run asked for it, such as `@best`, where `version` is its name.
    named: str


class RecordedUse(TypedDict):
    # Path of the artifact.
    artifact: str
    # The name of the version that was meant.
    version: str
    # False: this use was recorded before.
    isNew: bool


class RefusedPoints(TypedDict):
    # What failed.
    code: ErrorCode
    # A sentence for people.
    message: str
    # The HTTP status that the event would have had.
    status: int
    # True for status 429 and 5xx, otherwise false.
    retryable: bool
    # Depends on the code; `{}` if there is nothing to add.
    details: dict[str, Any]
    points: list[int]


class Report(TypedDict):
    # Assigned by the service.
    id: str
    # No other one of the same kind of the person, or of the organization, has it.
    name: str
    scope: Literal["own", "shared"]
    # Grows with every change; a change names the one that was seen.
    revision: int
    # When it was saved first.
    createdAtMs: int
    # E-mail of the person.
    createdBy: str
    # When it was changed last.
    changedAtMs: int
    # E-mail of the person.
    changedBy: str
    blocks: list[ReportBlock]


class _ReportAttemptBody(TypedDict):
    # Common to the processes that were started together; made by the client, unique within the experiment.
    attempt: str
    process: ReportedProcess
    # When the process began. Milliseconds before the request is sent: clocks are not compared.
    beganAgoMs: int
    # When the process was seen alive last; 0: it lives. Milliseconds before the request is sent: clocks are not compared.
    beatAgoMs: int


class ReportAttemptBody(_ReportAttemptBody, total=False):
    # Its last step until then.
    toStep: int
    end: ReportedEnd


class ReportAttemptReply(TypedDict):
    # A process that lives reports again after so many milliseconds.
    nextBeatMs: int


ReportBlock = Union["TextBlock", "ChartBlock", "TableBlock", "MediaBlock"]


class ReportHead(TypedDict):
    # Assigned by the service.
    id: str
    # No other one of the same kind of the person, or of the organization, has it.
    name: str
    scope: Literal["own", "shared"]
    # Grows with every change; a change names the one that was seen.
    revision: int
    # When it was saved first.
    createdAtMs: int
    # E-mail of the person.
    createdBy: str
    # When it was changed last.
    changedAtMs: int
    # E-mail of the person.
    changedBy: str


class _ReportedEnd(TypedDict):
    # When it ended. Milliseconds before the request is sent: clocks are not compared.
    agoMs: int
    how: Literal["finished", "exited", "killed", "gone"]
    # From what this is known.
    evidence: list[str]


class ReportedEnd(_ReportedEnd, total=False):
    exitCode: int
    # Number of the signal.
    signal: int
    # The exception that ended it: its kind and one line.
    error: str


class _ReportedProcess(TypedDict):
    # Made by the client, unique within the experiment.
    id: str


class ReportedProcess(_ReportedProcess, total=False):
    # Number of the process among those of a distributed training.
    rank: int
    # How many these are.
    ranks: int
    # The machine.
    host: str
    # Number of the process on its machine.
    processId: int
    # Changes when the machine is started again.
    bootId: str
    # The launchers that started it, from the outermost.
    launches: list[AttemptLaunch]
    # Variables of its environment by which launchers know it.
    variables: list[AttemptVariable]
    # Its first step.
    fromStep: int


class ReportsReply(TypedDict):
    # The caller's own and the organization's, the last changed first.
    reports: list[ReportHead]


class RequestError(TypedDict):
    # A sentence for people.
    message: str
    # `code=<code>; request_id=<id>`
    details: str


class RequestFailure(TypedDict):
    """The request as a whole was refused."""

    data: None
    error: RequestError


class ResignUploadBody(TypedDict):
    # The writer's, from artifacts/open.
    epoch: int


class RestoreOrganizationBody(TypedDict):
    # One that is in the trash.
    organizationId: str


class RetentionFind(TypedDict):
    # The experiment's id, or that of the version's upload.
    subject: str
    # The experiment's slug, or the artifact of the version.
    name: str
    # The experiment's name in lists, if it is not the slug; otherwise null.
    experimentName: str | None
    # Null: it is an experiment.
    version: str | None
    # Points that it has.
    points: int
    # Bytes of its files; of an experiment 0.
    bytes: int
    # From when on its days count.
    sinceMs: int
    # The reason, for people.
    why: str


class RetentionRule(TypedDict):
    # Assigned by the service.
    id: str
    # No other rule of the organization has it.
    name: str
    rule: RetentionRuleContent
    # Names of its folders, from the root down.
    folder: list[str]
    # Grows with every change; a change names the one that was seen.
    revision: int
    # When it was set first.
    createdAtMs: int
    # E-mail of the person.
    createdBy: str
    # When it was set last.
    changedAtMs: int
    # E-mail of the person.
    changedBy: str
    # When the rule was last applied; null: not yet.
    lookedAtMs: int | None


RetentionRuleContent = Union["ExperimentsRule", "VersionsRule"]


class RetentionRulesReply(TypedDict):
    # By name.
    rules: list[RetentionRule]


class RevisionsQueryData(TypedDict):
    # May be empty; a repeated id counts once.
    experimentIds: list[str]


class RevisionsResultData(TypedDict):
    # In request order.
    experiments: list[ExperimentRevision]
    # Ids that do not exist in the organization, in request order.
    missingExperimentIds: list[str]


class RunFacts(TypedDict):
    """Null: MLflow's clients recorded nothing of it."""

    # As the client sent it; empty: none.
    user: str
    # MLflow's word, such as `KILLED`.
    status: str
    # By the client's clock.
    startTimeMs: int | None
    # Likewise.
    endTimeMs: int | None
    # MLflow's clients see it as deleted.
    isDeleted: bool


class RunFile(TypedDict):
    # Words joined by slashes.
    path: str
    # Its size.
    bytes: int
    # When it was written last.
    changedAtMs: int


class RunFilesReply(TypedDict):
    # Whatever their folders, in the order of the bytes of their paths.
    files: list[RunFile]
    # Pass it as `after`; null: these are the last.
    next: str | None


class RunLineage(TypedDict):
    node: LineageNode
    # What the run used, kind by kind, the newest first.
    inputs: list[LineageLink]
    # How many more it used.
    inputsLeftOut: int
    # What the run made, kind by kind, the newest first.
    outputs: list[LineageLink]
    # How many more it made.
    outputsLeftOut: int
    # True: after an upgrade, what was recorded before it is still looked through, and links may be missing.
    isBehind: bool


class RunModel(TypedDict):
    modelId: str
    direction: Literal["input", "output"]
    # Digits: it may be larger than 2^53; of an input 0.
    step: str
    # Null: there is no model of this id.
    name: str | None
    # As the client says it, may be empty.
    modelType: str | None
    status: Literal["pending", "ready", "failed", "deleted"] | None


class _SaveWorkspaceBody(TypedDict):
    scope: Literal["own", "shared"]
    # The revision that was seen; 0: there was none.
    revision: int
    layout: Layout


class SaveWorkspaceBody(_SaveWorkspaceBody, total=False):
    # Only for charts in this folder and below it.
    folderId: str


class _SavedFailure(TypedDict):
    # A stable code.
    error: str
    # A sentence for people.
    message: str


class SavedFailure(_SavedFailure, total=False):
    """A saved view or report could not be read or changed."""

    present: PresentRevision


class SavedSort(TypedDict):
    field: str
    descending: bool


class SavedTable(TypedDict):
    """The table of experiments at this address; null: another page."""

    # Which experiments; empty: all. docs/query.md describes the language.
    query: str
    folderId: str | None
    sort: list[SavedSort]
    # Empty: the page chooses.
    columns: list[str]


class SavedView(TypedDict):
    # Assigned by the service.
    id: str
    # No other one of the same kind of the person, or of the organization, has it.
    name: str
    scope: Literal["own", "shared"]
    # Grows with every change; a change names the one that was seen.
    revision: int
    # When it was saved first.
    createdAtMs: int
    # E-mail of the person.
    createdBy: str
    # When it was changed last.
    changedAtMs: int
    # E-mail of the person.
    changedBy: str
    # Path of a page, and its query, as its address has them.
    address: str
    table: SavedTable | None


class SavedViewsReply(TypedDict):
    # One's own and the organization's, by name.
    views: list[SavedView]


class _ScimFailure(TypedDict):
    schemas: list[str]
    # The HTTP status, as a text.
    status: str
    # A sentence for people.
    detail: str


class ScimFailure(_ScimFailure, total=False):
    """A request of an identity provider was refused."""

    # A keyword of RFC 7644, table 9.
    scimType: str


class ScimMessage(TypedDict):
    """A resource or a PatchOp of SCIM 2.0 (RFC 7643, RFC 7644); attributes that are not kept are ignored."""



class ScimReply(TypedDict):
    """A resource of SCIM 2.0, or a ListResponse of resources (RFC 7643, RFC 7644)."""



class ScimToken(TypedDict):
    # When it was made. ISO 8601, UTC, milliseconds.
    created: str
    # Id of the owner.
    createdBy: str
    # To five minutes; null: never used. ISO 8601, UTC, milliseconds.
    lastUsed: str | None


class ScimTokenReply(TypedDict):
    scim: ScimView
    # Shown only here.
    secret: str


class ScimView(TypedDict):
    # The base address, to be set at the provider.
    address: str
    token: ScimToken | None
    # Users that the provider has sent.
    users: int
    # And groups.
    groups: int


class _SearchConsoleBody(TypedDict):
    # The experiment.
    experimentId: str


class SearchConsoleBody(_SearchConsoleBody, total=False):
    # Lines of these alone.
    sources: list[int]
    # Lines of these alone.
    streams: list[Literal["stdout", "stderr", "debug", "info", "warning", "error", "critical"]]
    # Most lines of the reply; 200 without it.
    limit: int
    # Lines that contain it.
    text: str
    # Lines in which this regular expression (JavaScript's) matches.
    pattern: str
    ignoreCase: bool
    # Searches from this line upwards; 0 without it and `before`.
    first: int
    # Searches from the line before this one downwards.
    before: int


class SearchConsoleReply(TypedDict):
    # Those that match, in the order of arrival.
    lines: list[ConsoleLine]
    # Number of the first line that was searched.
    first: int
    # Number of the line after the last that was searched.
    next: int
    # Lines of the console.
    total: int
    # Whether the search reached the end of the console in its direction.
    isComplete: bool


class SeenExperiment(TypedDict):
    # The experiment; an unknown id never changes.
    experimentId: str
    # The revision that the client knows; 0 for none, which is answered at once.
    revision: int


class SentBytesReply(TypedDict):
    # Files that were checked: the largest of the upload, 100 at most.
    files: int
    # Files that are completely in the store.
    filesSent: int
    # Sum of the sizes of these files.
    bytes: int
    # Bytes of these files in the store.
    sentBytes: int


class _SentConsoleLine(TypedDict):
    # When the line ended.
    timestampMs: int
    stream: Literal["stdout", "stderr", "debug", "info", "warning", "error", "critical"]
    # The line without its end, without escape sequences, and of a line that was written over its last state.
    text: str


class SentConsoleLine(_SentConsoleLine, total=False):
    # Colours and styles of stretches of the text.
    spans: list[ConsoleSpan]


class _SentConsoleSource(TypedDict):
    # The process that prints; made by the client, unique within the experiment.
    id: str


class SentConsoleSource(_SentConsoleSource, total=False):
    # Number of the process among those of a distributed training.
    rank: int
    host: str
    # Number of the process on its host.
    processId: int


class SentFile(TypedDict):
    name: str
    # As each PUT answered it, in the order of the parts.
    etags: list[str]


class SeriesColumns(TypedDict):
    step: list[int | None]
    timestampMs: list[int]
    value: list[float]


class SeriesCombination(TypedDict):
    """At each step the last value of the series, and that of the other one there, in the partition of the same metadata: one operation on doubles. A step that one of them lacks has no point, nor one whose result is not finite. The time is the later one of both."""

    operator: Literal["plus", "minus", "times", "dividedBy"]
    # The other series, of the same experiment.
    seriesName: str


class SeriesData(TypedDict):
    """Points of one metadata partition; one array index is one point. A record has at most 1048576 bytes."""

    experimentId: str
    seriesName: str
    # The partition: the meta that its points have in common.
    metadata: dict[str, str]
    data: SeriesColumns


class SeriesDoneData(TypedDict):
    # Data records sent.
    batches: int
    # Points sent.
    points: int


class SeriesQueryData(TypedDict):
    # The experiment; an unknown id has no series.
    experimentId: str
    # All must match; empty: every metadata partition.
    filter: list[FilterPredicate]
    xAxis: Literal["step", "timestamp"]
    # One series.
    seriesName: str


class SeriesRevision(TypedDict):
    seriesName: str
    # Only grows while the installation lives, and when a backup is restored (docs/backup.md).
    revision: int


class ServiceAccount(TypedDict):
    # A member as any other: the people of the organization have it.
    id: str
    name: str
    role: Literal["admin", "member", "viewer"]


class _SessionReply(TypedDict):
    # When the session ends. ISO 8601, UTC, milliseconds.
    expires: str
    organization: Organization


class SessionReply(_SessionReply, total=False):
    # Bearer credential of the session.
    token: str
    # For the header x-csrf-token of requests with the cookie.
    csrf: str


class _SetAliasBody(TypedDict):
    # Name of the version, `latest`, or an alias as `@best`.
    version: str


class SetAliasBody(_SetAliasBody, total=False):
    # Move it only from this version; null: only if there is no such alias. Absent: from wherever it points to.
    expected: str | None


class SetAliasReply(TypedDict):
    alias: VersionAlias
    # The version that it pointed to before; null: there was no such alias.
    previous: str | None


class _SetSignOnBody(TypedDict):
    # The provider's name on the button of the sign-in page.
    name: str
    # Its issuer, to the letter; `/.well-known/openid-configuration` is below it.
    issuer: str
    # Under which this service is registered there.
    clientId: str
    # The only domains of addresses that may sign in.
    domains: list[str]


class SetSignOnBody(_SetSignOnBody, total=False):
    # Sealed at rest, never shown; left out: it stays. Null: a public client, by PKCE alone.
    clientSecret: str | None
    # Requested scopes; default `openid email profile`.
    scopes: str
    # The claim with a person's groups; null: none.
    groupsClaim: str | None
    # The highest role of a person's groups counts, at every sign-in.
    roles: list[GroupRole]
    defaultRole: Literal["owner", "admin", "member", "viewer"] | None
    # Whether members sign in by the provider only. Owners may still use passwords, so that a failing provider locks no owner out.
    forced: bool


class SignIn(TypedDict):
    # Id for ending it; not a secret.
    id: str
    kind: Literal["session", "command_line"]
    # The very session that asks.
    current: bool
    # When the person signed in. ISO 8601, UTC, milliseconds.
    created: str
    # To five minutes; null: unknown. ISO 8601, UTC, milliseconds.
    lastUsed: str | None
    # When it ends unless it is used. ISO 8601, UTC, milliseconds.
    expires: str
    # The User-Agent of the browser or the program; null: none.
    device: str | None
    # Network address from which the person signed in; null: unknown.
    address: str | None
    organization: Organization | None


class SignInsReply(TypedDict):
    # Newest first, sessions before the command line.
    signIns: list[SignIn]


class SignOnSettings(TypedDict):
    # The provider's name on the button of the sign-in page.
    name: str
    # Its issuer, to the letter; `/.well-known/openid-configuration` is below it.
    issuer: str
    # Under which this service is registered there.
    clientId: str
    # Requested scopes; default `openid email profile`.
    scopes: str
    # The only domains of addresses that may sign in.
    domains: list[str]
    # The claim with a person's groups; null: none.
    groupsClaim: str | None
    # The highest role of a person's groups counts, at every sign-in.
    roles: list[GroupRole]
    defaultRole: Literal["owner", "admin", "member", "viewer"] | None
    # Whether members sign in by the provider only. Owners may still use passwords, so that a failing provider locks no owner out.
    forced: bool
    # Whether the client has no secret and uses only PKCE.
    publicClient: bool


class SignOnView(TypedDict):
    settings: SignOnSettings | None
    # To be registered at the provider.
    redirectAddress: str
    # The address that begins a sign-in by the provider.
    startAddress: str


class SignedPart(TypedDict):
    # PUT the part's bytes here.
    url: str
    # Headers to send with it.
    headers: dict[str, str]


Smoothing = Union["SmoothingByX", "ExponentialSmoothing", "GaussianSmoothing"]


class _SmoothingByX(TypedDict):
    kind: Literal["x"]
    # Weight of a point one `unit` before each point, against its own: the mean of all points up to it, weighted by their distance on the axis. Lines of different density are smoothed alike.
    weight: float


class SmoothingByX(_SmoothingByX, total=False):
    # In units of the axis; on a logarithmic axis a difference of natural logarithms. Default: a thousandth of the distance from the first to the last point of all lines of the reply, whatever the range.
    unit: float


class _StoreLocationBody(TypedDict):
    kind: Literal["s3"]
    # Address of an S3-compatible store, https://host[:port].
    endpoint: str
    bucket: str
    # Prefix of all keys, without slashes at its ends; may be empty.
    path: str
    # The region in signatures: us-east-1, auto, garage …
    signingRegion: str
    # true: the bucket is in the path, otherwise in the host.
    pathStyle: bool
    accessKeyId: str
    # Sealed at rest; never returned.
    secretAccessKey: str
    # The store's cloud, for placement.
    cloud: str
    # The region in that cloud.
    region: str


class StoreLocationBody(_StoreLocationBody, total=False):
    # Default: the bucket.
    name: str
    # Becomes the fallback.
    fallback: bool


class StoredAtLocation(TypedDict):
    # The location.
    location: str
    # Committed versions.
    versions: int
    # Their files together, now.
    bytes: int
    # Uploads that are neither committed nor abandoned.
    pendingUploads: int
    # Bytes that the pending uploads will have.
    pendingBytes: int


class SwitchOrganizationBody(TypedDict):
    # Name or id of an organization that the person belongs to.
    organization: str


class _TableBlock(TypedDict):
    kind: Literal["table"]
    # Which experiments; empty: all. docs/query.md describes the language.
    query: str
    # Fields separated by commas. docs/query.md describes the language.
    columns: str
    # Fields separated by commas, each optionally followed by `desc`. docs/query.md describes the language.
    sort: str
    limit: int


class TableBlock(_TableBlock, total=False):
    width: Literal["half"]
    # Only experiments in this folder and below it.
    folderId: str


class _TableBody(TypedDict):
    # Rows of the reply at most; 0: only the total.
    limit: int


class TableBody(_TableBody, total=False):
    # Which experiments; left out: all. docs/query.md describes the language.
    query: str
    # Only experiments in this folder and below it.
    folderId: str
    group: TableGroup
    # The first field decides, the next ones among equals, finally the ids. Experiments without a value come last in either direction. Default: the newest first.
    sort: list[TableSort]
    # The fields of `values` in the rows.
    columns: list[str]
    # Rows to leave out before the first one.
    offset: int
    # `next` of a reply with the same sort: the rows after it. Not with `offset`.
    after: str


class TableGroup(TypedDict):
    # Fields of meta, or slug, id, name, status, state, attempts, folder, tag, group, commit, description or error. Lists, tags included, are compared as wholes. None: all experiments are one group.
    by: list[str]
    # One for each key, in the order of the request.
    values: list[GroupValue]


class _TableReply(TypedDict):
    rows: list[TableRow]
    # Experiments that the query finds.
    total: int
    # Metrics and meta include everything acknowledged until this time, some seconds ago.
    asOfMs: int
    # Experiments with metrics or meta not up to date, among those that the query finds or may find later.
    behind: int
    # Those of them behind for more than ten seconds.
    late: int


class TableReply(_TableReply, total=False):
    # For `after`; left out: these are the last.
    next: str
    # Metas and metrics of the query and the columns that no experiment has; left out: none.
    unknown: list[UnknownField]


class _TableRow(TypedDict):
    # The experiment.
    experimentId: str
    slug: str
    # `_name` of the meta if it is a text, otherwise the tag `mlflow.runName`; null: neither.
    name: str | None
    # Of the experiment, cut after 256 characters.
    description: str
    status: Literal["running", "done", "error"]
    # Message of the last error event, cut after 256 characters.
    error: str | None
    # Its folder; null: the root.
    folderId: str | None
    # When the slug was opened first.
    createdAtMs: int
    # Last open, move, start, done or error.
    updatedAtMs: int
    # When it began, as the run of an MLflow client says; else the last start, or the first point where that is before it, or all points are outside of start and end.
    beganAtMs: int
    # When it ended, likewise: done or error, or the last point where that is behind it, or all points are before the start. Null: it is running.
    endedAtMs: int | None
    # Last start; null: never.
    startedAtMs: int | None
    # Last done; null: never.
    doneAtMs: int | None
    # Last error; null: never.
    errorAtMs: int | None
    # Last start, done or error; before the first one, the first open.
    statusAtMs: int
    # Points stored.
    points: int
    # Grows when series of the experiment are deleted, restored or purged: the same points and version mean the same series.
    seriesVersion: int
    # Grows when its meta changes, and with each note of a value that is not finite.
    metaVersion: int
    # Grows with every change of the experiment, points included.
    revision: int
    # When points were last stored; before the first one, when it was opened.
    appendedAtMs: int
    # Of the columns, in their order; null: it has none. Times are milliseconds since 1970, durations milliseconds, a folder its path, lists and objects JSON. A metric's last value that is not finite is "NaN", "Infinity" or "-Infinity". Texts are cut after 256 characters.
    values: list[float | str | bool | None]


class TableRow(_TableRow, total=False):
    # `_colour` of the meta, a colour that somebody chose; missing: none.
    colour: int
    liveness: Liveness
    # For each column, in order, the number of the metric's values that are not finite; missing: none. Least, largest, first and mean are of the others.
    nonfinite: list[int]


class _TableSort(TypedDict):
    # A field in the language's spelling.
    field: str


class TableSort(_TableSort, total=False):
    # Left out: ascending.
    descending: bool


class TestedValue(TypedDict):
    # A field of the condition, in the language's spelling.
    field: str
    # As in the table of experiments; null: it has none.
    value: float | str | bool | None


class _TextBlock(TypedDict):
    kind: Literal["text"]
    # Markdown as GitHub has it. HTML in it is shown as text, `![words](picture:…)` is a picture of the report, and pictures elsewhere are links.
    markdown: str


class TextBlock(_TextBlock, total=False):
    width: Literal["half"]


class TrashEntry(TypedDict):
    # Of the entry; restoring and purging name it.
    id: str
    kind: Literal["experiment", "version", "series"]
    # The experiment's id, also for a series, or the id of the version's upload.
    subject: str
    # The experiment's slug, also of a series, or the artifact of the version.
    name: str
    # The name in lists of the experiment, also for a series, if it is not the slug; otherwise null.
    experimentName: str | None
    # The version; null: it is not a version.
    version: str | None
    # The series' name; null: it is not a series.
    series: str | None
    # Names of its folders, from the root down; empty: the root.
    folder: list[str]
    # Its number of points; approximate for a series.
    points: int
    # Approximate bytes of points or files that a purge frees.
    bytes: int
    # E-mail of the person, or the key's name.
    trashedBy: str
    # When it was deleted.
    trashedAtMs: int
    # When it is removed for good.
    purgeAtMs: int
    # It is being removed and can no longer be restored.
    isPurging: bool


class TrashExperimentsBody(TypedDict):
    experimentIds: list[str]


class TrashFolderBody(TypedDict):
    # The folder.
    folderId: str


class TrashFolderReply(TypedDict):
    # Experiments that are in the trash now.
    experiments: int
    # Folders that are gone: it and all below it.
    folders: int


class TrashIdsBody(TypedDict):
    ids: list[str]


class TrashListReply(TypedDict):
    # Newest first.
    entries: list[TrashEntry]
    # `before` of the next page; null: this is the last.
    next: str | None


class TrashOrganizationBody(TypedDict):
    # The organization's name, typed once more to be sure.
    name: str


class TrashReply(TypedDict):
    entries: list[TrashEntry]


class TrashSeriesBody(TypedDict):
    # The experiment by its id.
    experimentId: str
    seriesNames: list[str]


class TrashSettings(TypedDict):
    # How long entries deleted from now on can be restored.
    days: int


class TrashVersionsBody(TypedDict):
    # The artifact.
    artifact: str
    versions: list[str]


class TriedRetentionRule(TypedDict):
    # The first 200 that it would move now.
    finds: list[RetentionFind]
    # Number of all that it would move now.
    total: int
    # Experiments whose points or metas are not fully summarized yet: a rule with a query or a metric waits for them.
    behind: int


class _TryRetentionRuleBody(TypedDict):
    rule: RetentionRuleContent


class TryRetentionRuleBody(_TryRetentionRuleBody, total=False):
    # The rule that it is to replace; left out: it is a new one.
    id: str


class UnknownField(TypedDict):
    # As the query or a column has it, in the language's spelling.
    field: str
    # Existing fields that may be meant, the nearest first; at most three.
    near: list[str]


class UpdateLocationBody(TypedDict, total=False):
    # A new name.
    name: str
    fallback: Literal[True]
    default: Literal[True]
    state: Literal["retired"]


class UploadFile(TypedDict):
    name: str
    # Bytes.
    size: int
    # Bytes of every part but the last.
    partSize: int
    parts: list[SignedPart]


class UploadReply(TypedDict):
    # The pending upload.
    upload: str
    placement: Placement
    # Why a better location was not taken.
    warning: str | None
    # When the signed URLs end; resign gives new ones. ISO 8601, UTC, milliseconds.
    expires: str
    files: list[UploadFile]


class UsageReply(TypedDict):
    # Newest day first.
    rows: list[UsageRow]


class UsageRow(TypedDict):
    # UTC, YYYY-MM-DD.
    day: str
    kind: Literal["write", "read"]
    placeCloud: str
    placeRegion: str
    # The location.
    location: str
    match: Literal["region", "cloud"] | None
    transfer: Literal["local", "cross-region", "cross-cloud", "unknown"]
    # Bytes committed, or signed for reading.
    bytes: int
    # Versions committed, or signed reads.
    count: int


class UsageViewReply(TypedDict):
    # UTC, YYYY-MM-DD.
    firstDay: str
    # UTC, YYYY-MM-DD.
    lastDay: str
    # Days on which points were recorded, oldest first.
    points: list[PointsOfDay]
    # Points recorded before the service counted by day.
    pointsBefore: int
    # All points that the organization has.
    pointsTotal: int
    # The groups named by `of`, those with most bytes first; at most 12.
    groups: list[str]
    # Oldest day first.
    bytes: list[BytesOfDay]
    # Locations that are not empty, by id.
    stored: list[StoredAtLocation]
    quota: list[QuotaOfKind]


class VersionAlias(TypedDict):
    # Its name.
    alias: str
    # The version that it points to.
    version: str
    state: Literal["present", "trashed", "deleted"]
    # When it was set or moved to that version.
    changedAtMs: int
    # Who did that.
    changedBy: str


class VersionFile(TypedDict):
    name: str
    # Bytes.
    size: int
    # GET it, with ranges if you like; null: not signed.
    url: str | None


class VersionLineage(TypedDict):
    node: LineageNode
    maker: LineageLink | None
    # Runs that used it, the newest first.
    users: list[LineageLink]
    # How many more used it.
    usersLeftOut: int
    models: list[HoldingModel]
    # True: after an upgrade, what was recorded before it is still looked through, and links may be missing.
    isBehind: bool


class VersionRecord(TypedDict):
    artifact: str
    version: str
    # When it was committed. ISO 8601, UTC, milliseconds.
    committed: str
    location: PlacedLocation
    transfer: Literal["local", "cross-region", "cross-cloud", "unknown"]
    # Sum of the sizes of all files.
    bytes: int
    # The writer's.
    meta: dict[str, Any]
    # The writer's place.source.
    source: str | None
    # When the signed URLs end; null: none is signed. ISO 8601, UTC, milliseconds.
    expires: str | None
    files: list[VersionFile]


class VersionsPage(TypedDict):
    versions: list[VersionRecord]
    # Pass it as `after`; null: this was the last page.
    next: str | None


class VersionsRule(TypedDict):
    kind: Literal["versions"]
    # Applies to this artifact and all whose paths continue it; null: all artifacts.
    under: str | None
    # Number of highest versions to keep of each artifact; null: one.
    keepLast: int | None
    # Days since the commit; null: any.
    olderThanDays: int | None


class _ViewPointsBody(TypedDict):
    # Each of their metadata partitions is a line of its own.
    series: list[ViewSelection]
    xAxis: Literal["step", "offset", "elapsed", "timestamp", "metric"]
    # Maximum number of points of each line, the first ones.
    pointsMax: int


class ViewPointsBody(_ViewPointsBody, total=False):
    # Number of partitions to skip, in the order of the reply.
    partitionsFrom: int
    # Maximum number of partitions; default: all.
    partitionsMax: int
    # With `metric`, and only then: the series of the same experiment whose value at the same step, in the partition of the same metadata, is a point's x.
    xSeriesName: str
    # A place on the axis: selects, in each line, the points at the place nearest to it; of two equally near the lower one.
    nearest: float
    # Several places instead of `nearest`: the points of each line nearest to any of them, each point once.
    places: list[float]
    # Without these: beginning of the range; default: the first point.
    start: float
    # End of the range, exclusive; default: after the last point.
    end: float


class _ViewPointsPartition(TypedDict):
    experimentId: str
    seriesName: str
    # The partition: the meta that its points have in common.
    metadata: dict[str, str]
    # In units of the axis, ascending.
    x: list[float]
    step: list[int]
    timestampMs: list[int]
    # Their values.
    value: list[float]
    # True: the points are complete.
    isWhole: bool


class ViewPointsPartition(_ViewPointsPartition, total=False):
    combined: CombinedLine
    error: ViewProblem


class _ViewPointsReply(TypedDict):
    xAxis: Literal["step", "offset", "elapsed", "timestamp", "metric"]
    # Number of matching partitions, skipped ones included.
    partitions: int
    # In the order of the request, partitions by their metadata.
    series: list[ViewPointsPartition]


class ViewPointsReply(_ViewPointsReply, total=False):
    # With `metric`, and only then: the series of the same experiment whose value at the same step, in the partition of the same metadata, is a point's x.
    xSeriesName: str


class ViewProblem(TypedDict):
    """Why this line cannot be read; the others are not affected."""

    code: Literal["data_corrupted"]
    message: str


class _ViewSelection(TypedDict):
    # The experiment; an unknown id has no series.
    experimentId: str
    # One series.
    seriesName: str


class ViewSelection(_ViewSelection, total=False):
    combined: SeriesCombination
    # All must match; left out: every metadata partition.
    filter: list[FilterPredicate]


class ViewedLocation(TypedDict):
    # The location.
    id: str
    # Its name, for people.
    name: str
    cloud: str
    region: str


class ViewedModel(TypedDict):
    # Its name.
    model: str
    description: str
    # The highest version; null: there is none.
    latest: int | None
    # By name.
    aliases: list[ModelAlias]
    # When it was registered.
    createdAtMs: int
    # When it, its versions or stages were changed last.
    changedAtMs: int
    tags: list[ModelTag]
    # The highest first.
    versions: list[ViewedModelVersion]
    # Pass it as `before`; null: there are no others.
    next: str | None


class ViewedModelVersion(TypedDict):
    # The model.
    model: str
    # Its number.
    version: int
    # The artifact, of a version of which it is.
    artifact: str | None
    # That version.
    artifactVersion: str | None
    # Otherwise the address of its files, of MLflow's form.
    source: str
    experiment: ModelExperiment | None
    description: str
    # Those that point to it.
    aliases: list[str]
    tags: list[ModelTag]
    # When it was added.
    createdAtMs: int
    # Who added it.
    createdBy: str


class _ViewedVersion(TypedDict):
    version: str
    # When it was committed.
    committedAtMs: int
    # How many files it has.
    files: int
    # Their sizes together.
    bytes: int
    # Epoch of its writer.
    epoch: int
    location: ViewedLocation
    writer: Place
    match: Literal["region", "cloud"] | None
    transfer: Literal["local", "cross-region", "cross-cloud", "unknown"]
    experiment: WritingExperiment | None


class ViewedVersion(_ViewedVersion, total=False):
    # The writer's.
    meta: dict[str, Any]


class WaitBody(TypedDict):
    # The experiment.
    experimentId: str
    # What is waited for: `done`, `silent`, or tests of the query language, in which a name that is no field is that of a metric: `val/loss < 3.3`. Of a metric without a statistic the last value is tested.
    until: str
    # How long the service may wait, milliseconds; 0: it tells how the condition is.
    waitMs: int


class _WaitReply(TypedDict):
    outcome: Literal["holds", "ended", "waiting"]
    # The experiment.
    experimentId: str
    slug: str
    status: Literal["running", "done", "error"]
    # Message of the last error event.
    error: str | None
    # Points stored.
    points: int
    # What the condition tests, as it is now.
    values: list[TestedValue]
    missing: list[MissingMetric]
    # The time at which this was so.
    atMs: int


class WaitReply(_WaitReply, total=False):
    liveness: Liveness


class Whoami(TypedDict):
    # The organization that the credential acts for.
    orgId: str
    # The person; null: none.
    userId: str | None
    credential: Literal["api_key", "session", "oauth"]


class Workspace(TypedDict):
    # Assigned by the service.
    id: str
    scope: Literal["own", "shared"]
    # Grows with every change; a change names the one that was seen.
    revision: int
    # When it was saved first.
    createdAtMs: int
    # E-mail of the person.
    createdBy: str
    # When it was changed last.
    changedAtMs: int
    # E-mail of the person.
    changedBy: str
    # It applies in this folder and below it.
    folderId: str | None
    layout: Layout


class WorkspaceVersion(TypedDict):
    # The revision that it was.
    revision: int
    # When it was saved.
    changedAtMs: int
    # E-mail of the person.
    changedBy: str
    layout: Layout


class WorkspaceVersionsReply(TypedDict):
    # The newest first, 20 at most.
    versions: list[WorkspaceVersion]


class WorkspacesReply(TypedDict):
    workspaces: list[Workspace]


class WritingExperiment(TypedDict):
    """The experiment that the version's meta names."""

    experimentId: str
    slug: str
    # The experiment's name in lists, if it is not the slug; otherwise null.
    name: str | None
    # The step in the version's meta; null: there is none.
    step: int | None
