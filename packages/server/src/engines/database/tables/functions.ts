/** Server functions: versions, secrets, resources, cron slots, usage, data to remove. */
export type FunctionsTables = {
  /** The functions of an environment; a row exists once they were enabled. */
  functions: {
    environmentId: string
    projectId: string
    /** Null: disabled. */
    enabledAt: string | null
    suspendedAt: string | null
    /** `money` or `operator`. */
    suspendedBy: string | null
    cpuMs: number
    subRequests: number
    lastVersion: number
    /** Null: no code is live. */
    liveVersionId: string | null
    /** Increases with every change for which a running process must be restarted. */
    generation: number
    /** Identifies the folder and the blobs of the data; new after a purge. */
    dataId: string
    updatedAt: string
  }
  functions_versions: {
    environmentId: string
    id: string
    version: number
    message: string | null
    /** Key of the code in the blob store. */
    blobKey: string
    bytes: number
    actor: string
    createdAt: string
    /** JSON: everything but the contents of the modules. */
    manifest: string
  }
  /** Names only; the values are in `secrets`. */
  functions_secrets: { environmentId: string; name: string; updatedAt: string }
  /** Databases, namespaces, buckets, queues and classes that a version was bound to. */
  functions_resources: { environmentId: string; type: string; id: string; bytes: number; createdAt: string }
  functions_cron_slots: {
    environmentId: string
    cron: string
    /** The minute, in ms since 1970. */
    slot: number
    nodeId: string
    startedAt: string
    endedAt: string | null
    /** `ok`, `failed` or `missed`; null while it runs. */
    outcome: string | null
  }
  /** What functions used, per minute; kept for a day. */
  functions_minutes: {
    environmentId: string
    /** Minutes since 1970. */
    minute: number
    requests: number
    errors: number
    cpuMs: number
  }
  /** The hours, since 1970, whose storage was charged. */
  functions_storage_hours: { environmentId: string; hour: number }
  /** Folders and blobs to delete. Without environmentId, because the rows must outlive their environment. */
  functions_removals: { dataId: string; blobPrefix: string; createdAt: string }
}
