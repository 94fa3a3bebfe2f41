import {
  chmod,
  chown,
  lchown,
  lstat,
  mkdir,
  mkdtemp,
  open,
  readdir,
  rename,
  rm,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { FunctionCode, FunctionsSpec } from '../../../../platform/ports/functions-engine.ts'
import { type CapnpValue, configText } from '../config/capnp-text.ts'
import {
  ASSETS_FILE,
  ASSETS_FOLDER,
  ASSETS_LIST,
  assetsList,
  type ConfigPaths,
  DATA_FOLDERS,
  moduleFile,
} from '../config/config.ts'
import { pathsInside, type Sandbox, type SandboxPaths } from './sandbox.ts'
import { seccompFilter } from './seccomp.ts'
import { StartError } from './start-error.ts'

const SCRATCH_PREFIX = 'svc-functions-'
/** The second part is the id of the process that created it. */
const SCRATCH = /^svc-functions-([1-9]\d*)-/

/** The folder of everything that belongs to one id. */
export const folderOf = (root: string, dataId: string) => join(root, dataId)
export const dataFolderOf = (root: string, dataId: string) => join(root, dataId, 'data')

/** The folder of all data. As root it can be entered by every account, because that of the sandbox must; all in it is private. */
export async function openRoot(root: string) {
  await mkdir(root, { recursive: true, mode: 0o700 })
  // It may be on a volume that belongs to another account: then the sandbox has no account of its own.
  await chmod(root, process.getuid?.() === 0 ? 0o711 : 0o700).catch(() => {})
}

/**
 * Folders of one process. Code and sockets are on the local disk, outside the data folder: that may be on a network volume,
 * and the path of a socket has at most 107 bytes.
 */
export type ProcessFolders = {
  paths: SandboxPaths
  seccompFile: string
  /**
   * Moves a socket that the process has created to a folder that it cannot reach, and returns its path there. In its own folder, the
   * process could put a link to any other socket in its place, and the service would connect to that. Throws if it is not a socket.
   */
  takeSocket(name: string): Promise<string>
  remove(): Promise<void>
}

/**
 * What a process has as its data: the folder of the environment below `root`, which it locks; an empty one that is removed with the rest,
 * for a trial; or none, for rooms. `isFull`: the storage is over its limit.
 */
export type ProcessData = { root: string; isFull: boolean } | 'empty' | 'none'

export async function prepareFolders(
  spec: FunctionsSpec,
  program: string,
  sandbox: Sandbox,
  kept: ProcessData,
  configOf: (paths: ConfigPaths) => CapnpValue,
): Promise<ProcessFolders> {
  const scratch = await mkdtemp(join(tmpdir(), `${SCRATCH_PREFIX}${process.pid}-`))
  // What cannot be removed now is removed when a service starts after this one.
  const remove = () => rm(scratch, { recursive: true, force: true }).catch(() => {})
  try {
    const [code, sockets, taken] = [join(scratch, 'code'), join(scratch, 'sockets'), join(scratch, 'taken')]
    const root = typeof kept === 'object' ? kept.root : undefined
    const data = kept === 'none' ? undefined : root ? dataFolderOf(root, spec.dataId) : join(scratch, 'data')
    await Promise.all([
      mkdir(code),
      mkdir(taken, { mode: 0o700 }),
      openTo(scratch, sandbox, 0o710),
      // The process creates its sockets there, but cannot replace those of the service.
      mkdir(sockets).then(() => openTo(sockets, sandbox, 0o1770)),
      data !== undefined && ensureData(data, sandbox),
    ])
    if (root !== undefined) await keepPrivate(folderOf(root, spec.dataId), sandbox)
    const paths: SandboxPaths = {
      program,
      code,
      sockets,
      data,
      // Our own workers refuse to grow; objects of the code know no limit.
      readOnly: typeof kept === 'object' && kept.isFull ? DATA_FOLDERS.objects : undefined,
      lock: root === undefined ? undefined : await createLockFile(folderOf(root, spec.dataId), sandbox),
    }
    const config = configText(configOf(pathsInside(sandbox, paths)))
    const seccompFile = join(code, 'seccomp.bpf')
    await Promise.all([
      ...(spec.code?.modules ?? []).map(({ content }, index) =>
        writeFile(join(code, moduleFile(index)), content),
      ),
      spec.code && kept !== 'none' && writeAssets(code, spec.code),
      writeFile(join(code, 'config.capnp'), config),
      writeFile(seccompFile, seccompFilter()),
    ])
    const takeSocket = async (name: string) => {
      const path = join(taken, name)
      // The first does not follow links, and after it nothing can be changed.
      await rename(join(sockets, name), path)
      if (!(await lstat(path)).isSocket()) throw new Error(`${name} of a functions process is not a socket`)
      return path
    }
    return { paths, seccompFile, takeSocket, remove }
  } catch (error) {
    await remove()
    throw error
  }
}

/** All in one file: paths of developers never become names of files, and a thousand files cost no more than one. */
async function writeAssets(folder: string, { assets, compatibilityDate }: FunctionCode) {
  if (!assets) return
  await mkdir(join(folder, ASSETS_FOLDER))
  await Promise.all([
    writeFile(join(folder, ASSETS_LIST), JSON.stringify(assetsList(assets, compatibilityDate))),
    writeFile(
      join(folder, ASSETS_FOLDER, ASSETS_FILE),
      Buffer.concat(assets.files.map(({ content }) => content)),
    ),
  ])
}

/** Gives a folder to the account of the sandbox, by its group; no other account may enter it. */
async function openTo(path: string, { user }: Sandbox, mode: number) {
  if (!user) return chmod(path, 0o700)
  // Before the mode: changing the owner may clear it.
  await chown(path, process.getuid?.() ?? 0, user.gid)
  return chmod(path, mode)
}

/** The folder of one id: the account of the sandbox passes through it to the data; the logs are only for the service. */
async function keepPrivate(folder: string, { user }: Sandbox) {
  const logs = join(folder, 'logs')
  await mkdir(logs, { recursive: true, mode: 0o700 })
  await chmod(logs, 0o700)
  await chmod(folder, user ? 0o711 : 0o700)
}

async function ensureData(data: string, sandbox: Sandbox) {
  await Promise.all(Object.values(DATA_FOLDERS).map((folder) => ensureOwned(join(data, folder), sandbox)))
  await ensureOwned(data, sandbox)
  await chmod(data, 0o700)
}

/** Creates a folder that the account of the sandbox may write. */
async function ensureOwned(path: string, { user }: Sandbox) {
  // An earlier process may have replaced it by a link, and root would give away whatever that leads to.
  const found = await lstat(path).catch(() => undefined)
  if (found && !found.isDirectory()) throw new StartError('failed')
  await mkdir(path, { recursive: true })
  if (user && (await lstat(path)).uid !== user.uid) await giveTo(user.uid, path)
}

/** Created once; only its lock matters. Another account that can open it could hold the lock. */
async function createLockFile(folder: string, { user }: Sandbox): Promise<string> {
  const path = join(folder, 'lock')
  const file = await open(path, 'a', 0o600)
  try {
    await file.chmod(0o600)
    if (user) await file.chown(user.uid, user.gid)
  } finally {
    await file.close()
  }
  return path
}

async function giveTo(uid: number, folder: string) {
  await lchown(folder, uid, uid)
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const inside = join(folder, entry.name)
    if (entry.isDirectory()) await giveTo(uid, inside)
    else await lchown(inside, uid, uid)
  }
}

/** Removes the folders of processes whose service was killed. */
export async function removeLeftovers() {
  for (const name of await readdir(tmpdir())) {
    const [, pid] = SCRATCH.exec(name) ?? []
    const folder = join(tmpdir(), name)
    if (pid === undefined || isAlive(Number(pid)) || !(await isOurs(folder))) continue
    await rm(folder, { recursive: true, force: true }).catch(() => {})
  }
}

/** Another account may have created it, and replace parts of it by links while they are removed. */
const isOurs = (folder: string) =>
  lstat(folder).then(
    ({ uid }) => uid === process.getuid?.(),
    () => false,
  )

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
