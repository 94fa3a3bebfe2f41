import { type Static, Type } from 'typebox'

import { manifestProblems } from './deployed-paths.ts'
import { endpoint } from './endpoint.ts'
import { LIMITS } from './limits.ts'
import { Id, IdParam, Limit, Nullable, Timestamp } from './shapes.ts'

/** App hosting: versioned deployments of static files, with rollback. */

const Sha256 = Type.String({
  pattern: '^[0-9a-f]{64}$',
  patternErrorMessage: 'must be 64 lower-case hexadecimal digits',
  description: 'SHA-256 of the bytes, 64 lower-case hexadecimal digits',
  examples: ['b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9'],
})
const Version = Type.Integer({ minimum: 1, description: 'rises by one with every deployment' })
const Hosting = { caller: 'admin', feature: 'hosting' } as const
const OneDeployment = {
  ...Hosting,
  params: Type.Object({ ref: IdParam }, { description: 'a deploymentId or a version number' }),
} as const

export type DeployedFile = Static<typeof DeployedFile>
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

export type Deployment = Static<typeof Deployment>
export const Deployment = Type.Object({
  deploymentId: Id,
  version: Version,
  status: Type.Enum(['uploading', 'finalized']),
  live: Type.Boolean(),
  message: Nullable(Type.String()),
  fileCount: Type.Integer(),
  totalBytes: Type.Integer(),
  createdAt: Timestamp,
  activatedAt: Nullable(Timestamp),
})

export type Deployed = Static<typeof Deployed>
export const Deployed = Type.Object({
  deploymentId: Id,
  version: Version,
  status: Type.Enum(['uploading', 'finalized']),
  live: Type.Boolean(),
  url: Type.String({ description: 'where the live version is served' }),
})

export const createDeployment = endpoint('POST /v1/deployments', {
  ...Hosting,
  summary: 'Begin a version: tell its files, learn which of them are to be uploaded',
  body: Type.Object({
    files: Type.Array(DeployedFile, { minItems: 1, maxItems: LIMITS.deployedFilesMax }),
    message: Type.Optional(Type.String({ maxLength: LIMITS.deploymentMessageLengthMax })),
  }),
  bodyProblems: manifestProblems,
  bodyBytesMax: LIMITS.deploymentBodyBytesMax,
  response: Type.Object({
    deploymentId: Id,
    version: Version,
    missing: Type.Array(Sha256, { description: 'each once; what the project has is not asked for again' }),
    missingBytes: Type.Integer(),
  }),
  errors: ['invalid_path'],
})

export const uploadBlob = endpoint('PUT /v1/blobs/:sha256', {
  ...Hosting,
  summary: 'Upload the bytes of a file, at most 50 MB',
  params: Type.Object({ sha256: Sha256 }),
  bytesBody: true,
  bodyBytesMax: LIMITS.blobBytesMax,
  response: Type.Object({ sha256: Sha256, size: Type.Integer() }),
  errors: ['hash_mismatch', 'blob_too_large'],
})

export const finalizeDeployment = endpoint('POST /v1/deployments/:ref/finalize', {
  ...OneDeployment,
  summary: 'Finish a version whose files are all there, and make it live if told to',
  body: Type.Object({ activate: Type.Optional(Type.Boolean({ default: false })) }),
  response: Deployed,
  errors: ['email_not_confirmed', 'deployment_not_found', 'blobs_missing', 'size_mismatch'],
})

export const activateDeployment = endpoint('POST /v1/deployments/:ref/activate', {
  ...OneDeployment,
  summary: 'Make a finished version the live one, an older one too',
  response: Deployed,
  errors: ['email_not_confirmed', 'deployment_not_found', 'not_finalized'],
})

export const listDeployments = endpoint('GET /v1/deployments', {
  ...Hosting,
  summary: 'The versions there are, newest first',
  query: Type.Object({ limit: Limit(20, 100) }),
  response: Type.Object({ deployments: Type.Array(Deployment) }),
})

export const readDeployment = endpoint('GET /v1/deployments/:ref', {
  ...OneDeployment,
  summary: 'One version with its files',
  response: Type.Object({ deployment: Deployment, files: Type.Array(DeployedFile) }),
  errors: ['deployment_not_found'],
})

export const readHosting = endpoint('GET /v1/hosting', {
  ...Hosting,
  summary: 'Which version is live, and where',
  response: Type.Object({
    live: Nullable(Type.Object({ deploymentId: Id, version: Version })),
    urls: Type.Array(Type.String(), { description: 'empty while nothing is live' }),
  }),
})
