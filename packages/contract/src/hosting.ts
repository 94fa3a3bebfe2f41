import { type Static, Type } from 'typebox'

import { manifestProblems } from './common/deployed-paths.ts'
import { endpoint } from './common/endpoint.ts'
import { LIMITS } from './common/limits.ts'
import { Actor, CLEANED, Id, IdParam, Limit, Nullable, Timestamp } from './common/schemas.ts'

/** App hosting: versioned deployments of static files, with rollback. */

const Sha256 = Type.String({
  pattern: '^[0-9a-f]{64}$',
  patternErrorMessage: 'must be 64 lower-case hexadecimal digits',
  description: 'SHA-256 of the bytes, 64 lower-case hexadecimal digits',
  examples: ['b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9'],
})
const Version = Type.Integer({ minimum: 1, description: 'increases by one with every deployment' })
const Hosting = { caller: 'admin', feature: 'hosting' } as const
const OneDeployment = {
  ...Hosting,
  params: Type.Object({ ref: IdParam }, { description: 'a deploymentId or a version number' }),
} as const

/** One file of a deployment. */
export type DeployedFile = Static<typeof DeployedFile>
/** `path` has no leading slash. `sha256` and `size` must be those of the uploaded bytes. */
export const DeployedFile = Type.Object({
  path: Type.String({
    minLength: 1,
    maxLength: LIMITS.deployedPathLengthMax,
    description: 'relative, with slashes, like assets/app.js',
    examples: ['index.html'],
  }),
  sha256: Sha256,
  size: Type.Integer({ minimum: 0, maximum: LIMITS.blobBytesMax, description: 'bytes' }),
})

/** A deployment as lists show it. */
export type Deployment = Static<typeof Deployment>
/** `activatedAt` is the time of its last activation; null if it was never live. */
export const Deployment = Type.Object({
  deploymentId: Id,
  version: Version,
  status: Type.Enum(['uploading', 'finalized']),
  live: Type.Boolean(),
  message: Nullable(Type.String()),
  fileCount: Type.Integer(),
  totalBytes: Type.Integer(),
  createdAt: Timestamp,
  by: Nullable(Actor, 'who created it; null for deployments of an earlier version'),
  activatedAt: Nullable(Timestamp),
})

/** The state of a deployment after it was finalized or activated. */
export type Deployed = Static<typeof Deployed>
/** `url` is the address of the app, also while another version is live there. */
export const Deployed = Type.Object({
  deploymentId: Id,
  version: Version,
  status: Type.Enum(['uploading', 'finalized']),
  live: Type.Boolean(),
  url: Type.String({ description: 'where the live version is served' }),
})

/** Create a deployment. */
export const createDeployment = endpoint('POST /v1/deployments', {
  ...Hosting,
  role: 'developer',
  summary: 'Create a deployment; send its file list and get the hashes of the files to upload',
  body: Type.Object({
    files: Type.Array(DeployedFile, { minItems: 1, maxItems: LIMITS.deployedFilesMax }),
    message: Type.Optional(Type.String({ ...CLEANED, maxLength: LIMITS.deploymentMessageLengthMax })),
  }),
  bodyProblems: manifestProblems,
  bodyBytesMax: LIMITS.deploymentBodyBytesMax,
  agent: 'write',
  agentTool: 'deploy_files',
  response: Type.Object({
    deploymentId: Id,
    version: Version,
    missing: Type.Array(Sha256, {
      description: 'hashes to upload, without duplicates; files the project already has are not listed',
    }),
    missingBytes: Type.Integer(),
  }),
  errors: ['invalid_path'],
})

/** Upload the bytes of a file, at most 50 MB. */
export const uploadBlob = endpoint('PUT /v1/blobs/:sha256', {
  ...Hosting,
  role: 'developer',
  summary: 'Upload the bytes of a file, at most 50 MB',
  params: Type.Object({ sha256: Sha256 }),
  bytesBody: true,
  bodyBytesMax: LIMITS.blobBytesMax,
  agent: 'write',
  agentTool: 'deploy_files',
  response: Type.Object({ sha256: Sha256, size: Type.Integer() }),
  errors: ['hash_mismatch', 'blob_too_large'],
})

/** Finalize a deployment when all files are uploaded, and optionally activate it. */
export const finalizeDeployment = endpoint('POST /v1/deployments/:ref/finalize', {
  ...OneDeployment,
  role: 'developer',
  summary: 'Finalize a deployment when all files are uploaded, and optionally activate it',
  body: Type.Object({ activate: Type.Optional(Type.Boolean({ default: false })) }),
  agent: { development: 'write', production: 'destructive' },
  agentTool: 'deploy_files',
  withoutApproval: ({ body }) => (body as { activate?: boolean }).activate !== true,
  response: Deployed,
  errors: ['email_not_confirmed', 'deployment_not_found', 'blobs_missing', 'size_mismatch'],
})

/** Activate a finalized version, including an older one. */
export const activateDeployment = endpoint('POST /v1/deployments/:ref/activate', {
  ...OneDeployment,
  role: 'developer',
  summary: 'Activate a finalized version, including an older one',
  agent: { development: 'write', production: 'destructive' },
  response: Deployed,
  errors: ['email_not_confirmed', 'deployment_not_found', 'not_finalized'],
})

/** List deployments, newest first. */
export const listDeployments = endpoint('GET /v1/deployments', {
  ...Hosting,
  role: 'viewer',
  summary: 'List deployments, newest first',
  query: Type.Object({ limit: Limit(20, 100) }),
  agent: 'read',
  response: Type.Object({ deployments: Type.Array(Deployment) }),
})

/** Get a deployment with its files. */
export const readDeployment = endpoint('GET /v1/deployments/:ref', {
  ...OneDeployment,
  role: 'viewer',
  summary: 'Get a deployment with its files',
  agent: 'read',
  response: Type.Object({ deployment: Deployment, files: Type.Array(DeployedFile) }),
  errors: ['deployment_not_found'],
})

/** List which version went live when. */
export const listActivations = endpoint('GET /v1/hosting/activations', {
  ...Hosting,
  role: 'viewer',
  summary: 'List which version went live when; newest first, the last 200',
  query: Type.Object({ limit: Limit() }),
  agent: 'read',
  response: Type.Object({
    activations: Type.Array(Type.Object({ version: Version, at: Timestamp, by: Actor })),
  }),
})

/** Get the live version and its URL. */
export const readHosting = endpoint('GET /v1/hosting', {
  ...Hosting,
  role: 'viewer',
  summary: 'Get the live version and its URL',
  agent: 'read',
  response: Type.Object({
    live: Nullable(Type.Object({ deploymentId: Id, version: Version })),
    urls: Type.Array(Type.String(), { description: 'empty while nothing is live' }),
  }),
})
