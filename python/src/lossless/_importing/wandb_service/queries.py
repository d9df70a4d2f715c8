"""The queries, as W&B's own package sends them."""

from __future__ import annotations

_PAGE = "pageInfo { endCursor hasNextPage }"

RUNS = f"""
query Runs($project: String!, $entity: String!, $cursor: String, $perPage: Int = 50, $order: String) {{
  project(name: $project, entityName: $entity) {{
    runs(after: $cursor, first: $perPage, order: $order) {{
      edges {{ node {{ name }} cursor }}
      {_PAGE}
    }}
  }}
}}"""

RUN = """
query Run($project: String!, $entity: String!, $name: String!) {
  project(name: $project, entityName: $entity) {
    run(name: $name) {
      id name displayName sweepName state config group jobType commit createdAt heartbeatAt description
      notes tags summaryMetrics historyLineCount historyKeys
      user { name username }
    }
  }
}"""

HISTORY = """
query HistoryPage($entity: String!, $project: String!, $run: String!, $minStep: Int64!, $maxStep: Int64!, \
$pageSize: Int!) {
  project(name: $project, entityName: $entity) {
    run(name: $run) { history(minStep: $minStep, maxStep: $maxStep, samples: $pageSize) }
  }
}"""

EVENTS = """
query RunFullHistory($project: String!, $entity: String!, $name: String!, $samples: Int) {
  project(name: $project, entityName: $entity) {
    run(name: $name) { events(samples: $samples) }
  }
}"""

FILES = f"""
query RunFiles($project: String!, $entity: String!, $name: String!, $cursor: String, $perPage: Int = 50) {{
  project(name: $project, entityName: $entity) {{
    run(name: $name) {{
      files(after: $cursor, first: $perPage) {{
        edges {{ node {{ name directUrl sizeBytes md5 }} cursor }}
        {_PAGE}
      }}
    }}
  }}
}}"""

ARTIFACTS = f"""
query RunOutputArtifacts($project: String!, $entity: String!, $name: String!, $cursor: String, $perPage: Int = 50) {{
  project(name: $project, entityName: $entity) {{
    run(name: $name) {{
      outputArtifacts(after: $cursor, first: $perPage) {{
        edges {{
          node {{
            id versionIndex description metadata digest state
            artifactType {{ name }}
            artifactSequence {{ name }}
            aliases {{ alias }}
          }}
        }}
        {_PAGE}
      }}
    }}
  }}
}}"""

ARTIFACT_FILES = f"""
query GetArtifactMembershipFileUrls($entity: String!, $project: String!, $collection: String!, $alias: String!, \
$cursor: String, $perPage: Int) {{
  project(name: $project, entityName: $entity) {{
    artifactCollection(name: $collection) {{
      artifactMembership(aliasName: $alias) {{
        files(after: $cursor, first: $perPage) {{
          edges {{ node {{ name directUrl sizeBytes }} }}
          {_PAGE}
        }}
      }}
    }}
  }}
}}"""
