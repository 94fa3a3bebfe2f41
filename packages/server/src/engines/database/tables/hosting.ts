/** App hosting: deployments, live versions, activations, uploaded files. */
export type HostingTables = {
  /** Deployed versions of apps. */
  hosting_deployments: {
    environmentId: string
    id: string
    projectId: string
    version: number
    status: string
    message: string | null
    fileCount: number
    totalBytes: number
    createdAt: string
    activatedAt: string | null
    /** `[{ path, sha256, size }]`; the last column, because SQLite has to read through it to reach a later one. */
    files: string
  }
  /** Who created a deployment: the actor as JSON. */
  hosting_authors: { environmentId: string; deploymentId: string; createdBy: string }
  /** The activations of versions; `number` counts those of the environment. */
  hosting_activations: {
    environmentId: string
    number: number
    version: number
    at: string
    activatedBy: string
  }
  /** The live version of each environment. */
  hosting_live: {
    environmentId: string
    /** Highest version number ever used, so that none is used twice. */
    lastVersion: number
    /** Null while nothing is live. */
    deploymentId: string | null
    version: number | null
    /** Counter of activations; distinguishes one activation from the next. */
    activations: number
    /** `[{ path, sha256, size, until }]`: retained files of earlier versions whose pages may still be open; the last column, like `files`. */
    kept: string
  }
  /** State of hosting per project. */
  hosting_projects: {
    projectId: string
    /** When unused blobs should be swept; null if there are none. */
    sweepAt: string | null
    /** When the operator suspended the apps. */
    suspendedAt: string | null
  }
  /** Uploaded files. A blob belongs to one project, so that projects cannot find out about files of others. */
  hosting_blobs: {
    /** Key in the blob store, unique per upload, so that removing an old blob never affects a new one. */
    key: string
    projectId: string
    sha256: string
    size: number
    /** `arriving`, `stored` or `removing`. */
    state: string
    changedAt: string
    /** Sizes of the compressed variants; null = not built yet, 0 = compression saves too little. */
    brSize: number | null
    gzSize: number | null
  }
}
