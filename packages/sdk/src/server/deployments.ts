import type * as contract from '@svc/contract/hosting'

import type { Call } from '../http/http.ts'
import type * as types from './types.ts'

/** App hosting: create a deployment, upload the missing files, finalize, activate. `ref` is a deploymentId or a version. */
export type Deployments = ReturnType<typeof createDeployments>

/** App hosting: create a deployment, upload the missing files, finalize, activate. `ref` is a deploymentId or a version. */
export const createDeployments = (call: Call) => ({
  /**
   * Creates a deployment. `missing` lists the hashes of the files to upload.
   *
   * @example
   * const files = [{ path: 'index.html', sha256, size: bytes.length }]
   * const { missing } = await server.deployments.create({ files, message: 'A new level' })
   * console.log(missing.length) // → 1
   */
  create: (body: types.NewDeployment): Promise<types.CreatedDeployment> =>
    call<typeof contract.createDeployment>('POST /v1/deployments', { body }),
  /**
   * Uploads one file.
   *
   * @example
   * await server.deployments.upload(sha256, bytes)
   */
  upload: (sha256: string, bytes: Uint8Array): Promise<types.UploadedFile> =>
    call<typeof contract.uploadBlob>('PUT /v1/blobs/:sha256', { params: { sha256 } }, { bytes }),
  /**
   * Completes a deployment once all files are uploaded, and optionally activates it.
   *
   * @example
   * const { live, url } = await server.deployments.finalize(version, { activate: true })
   * console.log(live, url) // → true http://…
   */
  finalize: (ref: string | number, body: { activate?: boolean } = {}): Promise<types.FinalizedDeployment> =>
    call<typeof contract.finalizeDeployment>('POST /v1/deployments/:ref/finalize', {
      ...refParams(ref),
      body,
    }),
  /**
   * Makes a finalized deployment live. Activating an older one is a rollback.
   *
   * @example
   * const { live } = await server.deployments.activate(version)
   * console.log(live) // → true
   */
  activate: (ref: string | number): Promise<types.ActivatedDeployment> =>
    call<typeof contract.activateDeployment>('POST /v1/deployments/:ref/activate', refParams(ref)),
  /**
   * Lists deployments, newest first.
   *
   * @example
   * const [newest] = await server.deployments.list({ limit: 1 })
   * console.log(newest?.message, newest?.live) // → A new level true
   */
  list: async (query: { limit?: number } = {}): Promise<types.DeploymentList> =>
    (await call<typeof contract.listDeployments>('GET /v1/deployments', { query })).deployments,
  /**
   * Reads one deployment with its files.
   *
   * @example
   * const { files } = await server.deployments.get(version)
   * console.log(files.map(({ path }) => path)) // → [ 'index.html' ]
   */
  get: (ref: string | number): Promise<types.DeploymentDetail> =>
    call<typeof contract.readDeployment>('GET /v1/deployments/:ref', refParams(ref)),
  /**
   * Reads the live version and its URL.
   *
   * @example
   * const { urls } = await server.deployments.live()
   * console.log(urls[0]) // → http://…
   */
  live: (): Promise<types.LiveApp> => call<typeof contract.readHosting>('GET /v1/hosting', {}),
})

const refParams = (ref: string | number) => ({ params: { ref: String(ref) } })
