import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseEnv } from 'node:util'

import type { EnvironmentName } from '@svc/contract/shapes'

import { Failure } from './failure.ts'

export const CONFIG_FILE = 'svc.config.json'
/** Which project this folder is of; no secrets, so it goes into the repository. */
export const PROJECT_FILE = '.svc/project.json'
/** The keys; never in the repository. */
export const KEYS_FILE = '.env'

/** What the folder says in which a command was typed, or the nearest one above it. */
export type Workspace = {
  folder: string
  url: string | undefined
  projectId: string | undefined
  secretKeys: Partial<Record<EnvironmentName, string>>
}

export function findWorkspace(start: string): Workspace {
  const folder = nearest(start) ?? start
  const { url, project } = readProjectFile(join(folder, PROJECT_FILE))
  const keys = readKeys(join(folder, KEYS_FILE))
  return {
    folder,
    url: url ?? keys['SVC_URL'],
    projectId: project ?? keys['SVC_PROJECT'],
    secretKeys: {
      ...(keys['SVC_DEVELOPMENT_SECRET_KEY'] && { development: keys['SVC_DEVELOPMENT_SECRET_KEY'] }),
      ...(keys['SVC_PRODUCTION_SECRET_KEY'] && { production: keys['SVC_PRODUCTION_SECRET_KEY'] }),
    },
  }
}

function nearest(folder: string): string | undefined {
  if (existsSync(join(folder, CONFIG_FILE)) || existsSync(join(folder, PROJECT_FILE))) return folder
  return dirname(folder) === folder ? undefined : nearest(dirname(folder))
}

type ProjectFile = { url?: string; project?: string }

function readProjectFile(path: string): ProjectFile {
  if (!existsSync(path)) return {}
  try {
    const { url, project } = JSON.parse(readFileSync(path, 'utf8'))
    return { ...(typeof url === 'string' && { url }), ...(typeof project === 'string' && { project }) }
  } catch {
    throw new Failure('failed', `${path} is not JSON.`, {
      fix: 'Mend it: { "url": "…", "project": "prj_…" }',
    })
  }
}

const readKeys = (path: string): NodeJS.Dict<string> =>
  existsSync(path) ? parseEnv(readFileSync(path, 'utf8')) : {}

type NewKey = { environment: EnvironmentName; type: 'publishable' | 'secret'; key: string }

/** What `svc new` writes into `.env`. */
export const keysFileText = (url: string, projectId: string, keys: readonly NewKey[]): string =>
  [
    '# Written by svc new. Secret keys open everything of their environment: keep this file out of repositories.',
    `SVC_URL=${url}`,
    `SVC_PROJECT=${projectId}`,
    ...keys.map(({ environment, type, key }) => `SVC_${environment}_${type}_KEY`.toUpperCase() + `=${key}`),
    '',
  ].join('\n')
