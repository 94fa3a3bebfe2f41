import { hash } from 'node:crypto'

import { LIMITS } from '@svc/contract/common/limits'

import { ApiError, invalidField } from '../../../platform/api-error.ts'
import type { Environment } from '../../../platform/environment.ts'
import { isObject } from '../../json/interpreted.ts'
import type { ApiRequest } from './requests.ts'

/** Calls the API; throws the error of its response. */
export type CallApi = (request: ApiRequest) => Promise<unknown>

type File = { path: string; bytes: Buffer; sha256: string }
const NAMES = new Set(['files', 'message', 'activate'])

/** The tool `deploy_files`: a deployment, the upload of its files, and its end, each with the token of the agent. */
export async function deployFiles(call: CallApi, environment: Environment, values: Record<string, unknown>) {
  const unknown = Object.keys(values).find((name) => !NAMES.has(name))
  if (unknown !== undefined)
    throw invalidField(`$.${unknown.slice(0, 64)}`, 'is not an argument of this tool')
  const isDevelopment = environment.name === 'development'
  const { message, activate = isDevelopment } = values
  if (typeof activate !== 'boolean') throw invalidField('$.activate', 'must be a boolean')
  if (activate && !isDevelopment)
    throw invalidField('$.activate', 'must not be true in production; use activate_deployment afterwards')
  const files = filesIn(values['files'])

  const path = `/v1/projects/${environment.projectId}/environments/${environment.name}`
  const manifest = files.map(({ path, bytes, sha256 }) => ({ path, sha256, size: bytes.length }))
  const created = (await call({
    method: 'POST',
    url: `${path}/deployments`,
    body: { files: manifest, ...(message !== undefined && { message }) },
  })) as { deploymentId: string; missing: string[] }
  for (const sha256 of created.missing) {
    const file = files.find((one) => one.sha256 === sha256)
    if (file) await call({ method: 'PUT', url: `${path}/blobs/${sha256}`, body: file.bytes })
  }
  return call({
    method: 'POST',
    url: `${path}/deployments/${created.deploymentId}/finalize`,
    body: { activate },
  })
}

function filesIn(list: unknown): File[] {
  const [filesMax, bytesMax] = [LIMITS.agentDeployFilesMax, LIMITS.agentDeployBytesMax]
  if (!Array.isArray(list) || list.length === 0 || list.length > filesMax)
    throw invalidField('$.files', `must be a list of 1 to ${filesMax} files`)
  const files = list.map(fileIn)
  const bytes = files.reduce((sum, file) => sum + file.bytes.length, 0)
  if (bytes > bytesMax)
    throw new ApiError(
      'payload_too_large',
      { limit: bytesMax },
      { message: `All files together may have ${bytesMax} bytes.` },
    )
  return files
}

function fileIn(file: unknown, index: number): File {
  const at = `$.files[${index}]`
  if (!isObject(file)) throw invalidField(at, 'must be an object')
  const { path, text, base64 } = file
  if (typeof path !== 'string') throw invalidField(`${at}.path`, 'must be a text')
  if ((typeof text === 'string') === (typeof base64 === 'string'))
    throw invalidField(at, 'must have either text or base64')
  const bytes = typeof text === 'string' ? Buffer.from(text) : Buffer.from(String(base64), 'base64')
  return { path, bytes, sha256: hash('sha256', bytes) }
}
