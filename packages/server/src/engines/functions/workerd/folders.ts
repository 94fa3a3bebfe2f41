import {
  chmodSync,
  closeSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { FunctionsSpec } from '../../../platform/functions-engine.ts'
import { configText } from './capnp-text.ts'
import { configOf, DATA_FOLDERS, moduleFile } from './config.ts'
import { pathsInside, type Sandbox, type SandboxPaths } from './sandbox.ts'

const SCRATCH_PREFIX = 'svc-functions-'

/** The folder of everything that belongs to one id. */
export const folderOf = (root: string, dataId: string) => join(root, dataId)
export const dataFolderOf = (root: string, dataId: string) => join(root, dataId, 'data')

/**
 * Folders of one process. Code and sockets are on the local disk, outside the data folder: that may be on a network volume,
 * and the path of a socket has at most 107 bytes.
 */
export type ProcessFolders = { paths: SandboxPaths; remove(): void }

/** `root` is undefined for a trial: then the data is empty and removed with the rest. */
export function prepareFolders(
  spec: FunctionsSpec,
  program: string,
  sandbox: Sandbox,
  root: string | undefined,
  isFull: boolean,
): ProcessFolders {
  const scratch = mkdtempSync(join(tmpdir(), `${SCRATCH_PREFIX}${process.pid}-`))
  const owned = (path: string) => {
    mkdirSync(path, { recursive: true })
    if (sandbox.user && statSync(path).uid !== sandbox.user.uid) giveTo(sandbox.user.uid, path)
    return path
  }
  const data = root === undefined ? join(scratch, 'data') : dataFolderOf(root, spec.dataId)
  for (const folder of Object.values(DATA_FOLDERS)) owned(join(data, folder))
  const code = join(scratch, 'code')
  mkdirSync(code)
  const paths: SandboxPaths = {
    program,
    code,
    sockets: owned(join(scratch, 'sockets')),
    data: owned(data),
    // Our own workers refuse to grow; objects of the code know no limit.
    readOnly: isFull ? DATA_FOLDERS.objects : undefined,
    lock: root === undefined ? undefined : lockFile(folderOf(root, spec.dataId)),
  }
  // The account of the sandbox enters the folder, but cannot list or change it.
  if (sandbox.user) chmodSync(scratch, 0o711)

  spec.code?.modules.forEach(({ content }, index) => writeFileSync(join(code, moduleFile(index)), content))
  writeFileSync(join(code, 'config.capnp'), configText(configOf(spec, pathsInside(sandbox, paths), isFull)))
  return { paths, remove: () => rmSync(scratch, { recursive: true, force: true }) }
}

/** Created once; only its lock matters. */
function lockFile(folder: string): string {
  const path = join(folder, 'lock')
  closeSync(openSync(path, 'a', 0o644))
  return path
}

function giveTo(uid: number, path: string) {
  lchownSync(path, uid, uid)
  if (!statSync(path).isDirectory()) return
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const inside = join(path, entry.name)
    if (entry.isDirectory()) giveTo(uid, inside)
    else lchownSync(inside, uid, uid)
  }
}

/** Removes what processes of a service that was killed have left. */
export function removeLeftovers() {
  const names = readdirSync(tmpdir()).filter((name) => name.startsWith(SCRATCH_PREFIX))
  for (const name of names) {
    const pid = Number(name.slice(SCRATCH_PREFIX.length).split('-')[0])
    if (Number.isInteger(pid) && pid > 0 && !isAlive(pid))
      rmSync(join(tmpdir(), name), { recursive: true, force: true })
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
