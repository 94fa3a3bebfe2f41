import type { DeployedFile } from '@svc/contract/hosting'

import { call } from '../../developer.ts'
import { sha256Hex } from '../../platform.ts'
import type { EnvironmentParams } from '../../route.ts'

const PARALLEL_MAX = 4
const UPLOAD_TIMEOUT_MS = 120_000

export type LocalFile = { path: string; file: File }
export type Progress = { done: number; of: number }

/** Uploads a folder as a new version; only files that the project does not have are sent. */
export async function uploadVersion(
  params: EnvironmentParams,
  local: readonly LocalFile[],
  {
    activate,
    message,
    onProgress,
  }: { activate: boolean; message: string; onProgress: (progress: Progress) => void },
): Promise<{ version: number }> {
  const byHash = new Map<string, File>()
  const files: DeployedFile[] = []
  for (const { path, file } of local) {
    const sha256 = await sha256Hex(await file.arrayBuffer())
    byHash.set(sha256, file)
    files.push({ path, sha256, size: file.size })
  }
  const { deploymentId, missing } = await call('createDeployment', {
    params,
    body: { files, ...(message.trim() && { message: message.trim() }) },
  })

  let done = 0
  onProgress({ done, of: missing.length })
  const waiting = [...missing]
  const worker = async () => {
    for (let sha256 = waiting.shift(); sha256 !== undefined; sha256 = waiting.shift()) {
      const bytes = byHash.get(sha256)
      if (bytes)
        await call('uploadBlob', { params: { ...params, sha256 } }, { bytes, timeoutMs: UPLOAD_TIMEOUT_MS })
      onProgress({ done: ++done, of: missing.length })
    }
  }
  await Promise.all(Array.from({ length: PARALLEL_MAX }, worker))
  return call('finalizeDeployment', { params: { ...params, ref: deploymentId }, body: { activate } })
}

/** The files of a folder input; the name of the folder is not part of their paths. */
export const filesOfInput = (list: Iterable<File>): LocalFile[] =>
  [...list].map((file) => ({
    path: file.webkitRelativePath ? file.webkitRelativePath.split('/').slice(1).join('/') : file.name,
    file,
  }))

/** The files of what was dropped: a folder, or single files. */
export async function filesOfDrop(data: DataTransfer): Promise<LocalFile[]> {
  const entries = [...data.items].flatMap((item) => item.webkitGetAsEntry() ?? [])
  const [only] = entries
  // A single folder is replaced by its contents.
  if (entries.length === 1 && only?.isDirectory)
    return (await Promise.all((await childrenOf(only)).map((entry) => filesBelow(entry, '')))).flat()
  return (await Promise.all(entries.map((entry) => filesBelow(entry, '')))).flat()
}

async function filesBelow(entry: FileSystemEntry, folder: string): Promise<LocalFile[]> {
  const path = `${folder}${entry.name}`
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) =>
      (entry as FileSystemFileEntry).file(resolve, reject),
    )
    return [{ path, file }]
  }
  return (await Promise.all((await childrenOf(entry)).map((child) => filesBelow(child, `${path}/`)))).flat()
}

/** A reader returns the entries of a folder in parts of up to 100. */
async function childrenOf(entry: FileSystemEntry): Promise<FileSystemEntry[]> {
  const reader = (entry as FileSystemDirectoryEntry).createReader()
  const children: FileSystemEntry[] = []
  for (;;) {
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    )
    if (part.length === 0) return children
    children.push(...part)
  }
}
