import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseEnv } from 'node:util'

import type { EnvironmentName } from '@svc/contract/common/schemas'

import { Failure } from '../output/failure.ts'

export const CONFIG_FILE = 'svc.config.json'
/** The project of the folder. It contains no secrets and is committed to the repository. */
export const PROJECT_FILE = '.svc/project.json'
/** The files of keys, which are never committed. `svc new` writes the first, `svc init` the second, which overrides it. */
export const KEYS_FILE = '.env'
export const LOCAL_KEYS_FILE = '.env.local'

/** The project settings of the current folder, or of the nearest parent folder with a project. */
export type Workspace = {
  folder: string
  url: string | undefined
  projectId: string | undefined
  slug: string | undefined
  /** The folder that was deployed last, relative to `folder`. */
  deployed: string | undefined
  secretKeys: Partial<Record<EnvironmentName, string>>
}

/** Finds the project of a folder or of the nearest parent folder. */
export function findWorkspace(start: string): Workspace {
  const folder = nearest(start) ?? start
  const { url, project, slug, deployed } = readProjectFile(join(folder, PROJECT_FILE))
  const keys = readKeys(folder)
  return {
    folder,
    url: url ?? keys['SVC_URL'],
    projectId: project ?? keys['SVC_PROJECT'],
    slug,
    deployed,
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

export type ProjectFile = { url?: string; project?: string; slug?: string; deployed?: string }

/** Reads a project file; fields that are not text are ignored. */
export function readProjectFile(path: string): ProjectFile {
  if (!existsSync(path)) return {}
  try {
    const { url, project, slug, deployed } = JSON.parse(readFileSync(path, 'utf8'))
    return Object.fromEntries(
      Object.entries({ url, project, slug, deployed }).filter(([, value]) => typeof value === 'string'),
    )
  } catch {
    throw new Failure('failed', `${path} is not JSON.`, {
      fix: 'Fix the file. It must look like this: { "url": "…", "project": "prj_…" }',
    })
  }
}

/** The variables of both files of keys. */
export const readKeys = (folder: string): NodeJS.Dict<string> =>
  Object.assign({}, ...[KEYS_FILE, LOCAL_KEYS_FILE].map((name) => readVariables(join(folder, name))))

/** The variables of an env file; none if the file does not exist. */
export const readVariables = (path: string): NodeJS.Dict<string> =>
  existsSync(path) ? parseEnv(readFileSync(path, 'utf8')) : {}
