import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { copyFile, cp, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'

import { openService } from '../../service.ts'
import { readSettings } from '../../settings.ts'
import { copySqliteTemplate, newDataDir } from '../../testing/databases.ts'
import { deployFunctions } from '../../testing/deployed-functions.ts'
import { type Service, startService } from '../../testing/service.ts'
import { backUp } from './backup.ts'
import { restore } from './restore.ts'
import { createStaging } from './staging.ts'

const LAST_LINE_BYTES = 'svc-backup sha256 '.length + 64 + '\n'.length

let service: Service
let archive: string
let bytes: Buffer
before(async () => {
  service = await startService('sqlite')
  await service.newProject()
  archive = join(service.dataDir, 'saved.tar')
  await backUp(settingsOf(service.dataDir), archive)
  bytes = await readFile(archive)
})
after(() => service.stop())

const settingsOf = (dataDir: string) => readSettings({ SVC_DATA_DIR: dataDir })

/** Restores these bytes; returns the error, and checks that nothing was written before it. */
async function refusalOf(content: Buffer): Promise<string | undefined> {
  const folder = join(service.dataDir, 'attempt')
  const file = join(service.dataDir, 'damaged.tar')
  await rm(folder, { recursive: true, force: true })
  await writeFile(file, content)
  try {
    await restore(settingsOf(join(folder, 'data')), file)
    return undefined
  } catch (error) {
    await assert.rejects(stat(folder), 'something was written')
    return error instanceof Error ? error.message : String(error)
  }
}

test('[OPS-15] a backup restores to the same rows, tar lists it, and it does not contain the secret key', async () => {
  assert.equal(await refusalOf(bytes), undefined)
  assert.deepEqual(await readdir(join(service.dataDir, 'attempt/data')), ['svc.sqlite'])
  const names = execFileSync('tar', ['-tf', archive], { encoding: 'utf8' })
  assert.deepEqual(names.trim().split('\n'), ['svc.sqlite', 'manifest.json'])
  const manifest = JSON.parse(execFileSync('tar', ['-xOf', archive, 'manifest.json'], { encoding: 'utf8' }))
  assert.deepEqual([manifest.engine, manifest.tables.projects], ['sqlite', 1])
  using restored = new DatabaseSync(join(service.dataDir, 'attempt/data/svc.sqlite'))
  assert.equal(restored.prepare('select count(*) as n from projects').get()?.['n'], 1)
})

test('[OPS-16] a sealed backup contains the secret key, and opens with its key only', async () => {
  const [key, other] = ['ab'.repeat(32), 'cd'.repeat(32)]
  const sealing = (dataDir: string, backupKey: string) =>
    readSettings({ SVC_DATA_DIR: dataDir, SVC_BACKUP_KEY: backupKey })
  const file = join(service.dataDir, 'sealed.tar')
  const { report } = await backUp(sealing(service.dataDir, key), file)
  assert.deepEqual([report?.failures, report?.notices], [[], []])
  const target = join(service.dataDir, 'unsealed')
  await assert.rejects(restore(settingsOf(target), file), /sealed with the key .* SVC_BACKUP_KEY/)
  await assert.rejects(restore(sealing(target, other), file), /sealed with the key .* SVC_BACKUP_KEY/)
  assert.equal(existsSync(target), false)
  assert.deepEqual(await restore(sealing(target, `${other},${key}`), file), [])
  assert.deepEqual(
    await readFile(join(target, 'secret.key')),
    await readFile(join(service.dataDir, 'secret.key')),
  )
})

test('a backup of a running service contains the data of functions', async (t) => {
  const source = await startService('sqlite', { settings: { SVC_BILLING: 'off' } })
  t.after(() => source.stop())
  const { development } = await source.newProject()
  const bindings = [{ type: 'db', name: 'DB' }]
  await deployFunctions(development, 'export default { fetch: () => new Response() }', { bindings })
  const query = (server: typeof development.server, sql: string) =>
    server('POST', '/v1/admin/functions/db/DB/query', { sql })
  await query(development.server, 'CREATE TABLE kept (i); INSERT INTO kept VALUES (42)')

  const file = join(source.dataDir, 'functions.tar')
  const dataDir = join(source.dataDir, 'restored')
  await backUp(settingsOf(source.dataDir), file, { isVerified: false })
  await query(development.server, 'DELETE FROM kept')
  const [note = ''] = await restore(settingsOf(dataDir), file)
  assert.match(note, /^Put secret\.key of the old data folder into/)
  await copyFile(join(source.dataDir, 'secret.key'), join(dataDir, 'secret.key'))
  const restored = await startService('sqlite', {
    clusterOf: { ...source, dataDir },
    settings: { SVC_BILLING: 'off' },
  })
  t.after(() => restored.stop())
  const { body } = await query(restored.withKey(development.secretKey), 'SELECT i FROM kept')
  assert.deepEqual(body.results, [{ i: 42 }])

  // Data of functions in another folder is restored to another folder, which must be empty.
  const [from, to] = ['elsewhere', 'there'].map((name) => join(source.dataDir, name)) as [string, string]
  await cp(join(dataDir, 'functions'), from, { recursive: true })
  const settingsWith = (folder: string, functions: string) =>
    readSettings({ SVC_DATA_DIR: folder, FUNCTIONS_DIR: functions })
  const other = join(source.dataDir, 'other.tar')
  await backUp(settingsWith(source.dataDir, from), other, { isVerified: false })
  const target = join(source.dataDir, 'other')
  await assert.rejects(restore(settingsWith(target, from), other), /elsewhere is not empty.* FUNCTIONS_DIR/)
  await restore(settingsWith(target, to), other)
  assert.deepEqual((await readdir(target)).toSorted(), ['blobs', 'svc.sqlite'])
  assert.deepEqual(await readdir(to), await readdir(from))
})

/** Commits in another connection in every turn of the event loop, until the work is done. */
async function whileWriting<T>(path: string, work: () => Promise<T>): Promise<T> {
  using writer = new DatabaseSync(path)
  const write = writer.prepare('UPDATE written SET count = count + 1')
  let isDone = false
  const result = work().finally(() => (isDone = true))
  while (!isDone) {
    write.run()
    await turn()
  }
  return await result
}

/** A table of 8 MB: the copy takes many steps. */
function fillDatabase(path: string) {
  using database = new DatabaseSync(path)
  database.exec(`PRAGMA journal_mode = wal; CREATE TABLE written (count INTEGER); CREATE TABLE large (bytes BLOB);
    INSERT INTO written VALUES (0); INSERT INTO large VALUES (zeroblob(8 * 1024 * 1024))`)
}

test('a backup ends although somebody writes all the time, to the database and to the databases of functions', async (t) => {
  const dataDir = await newDataDir()
  t.after(() => rm(dataDir, { recursive: true }))
  await copySqliteTemplate(dataDir)
  const ofFunctions = join(dataDir, 'functions/data_1/data/stores/x/1.sqlite')
  await mkdir(dirname(ofFunctions), { recursive: true })
  for (const [index, path] of [join(dataDir, 'svc.sqlite'), ofFunctions].entries()) {
    fillDatabase(path)
    await whileWriting(path, () =>
      backUp(settingsOf(dataDir), join(dataDir, `${index}.tar`), { isVerified: false }),
    )
  }
  await restore(settingsOf(join(dataDir, 'restored')), join(dataDir, '1.tar'))
  using copy = new DatabaseSync(join(dataDir, 'restored/functions/data_1/data/stores/x/1.sqlite'))
  assert.deepEqual(Object.values(copy.prepare('PRAGMA integrity_check').get() ?? {}), ['ok'])
})

test('files of functions that vanish while a backup runs do not fail it, and the others are in it', async (t) => {
  const dataDir = await newDataDir()
  t.after(() => rm(dataDir, { recursive: true }))
  await copySqliteTemplate(dataDir)
  const folderOf = (id: number) => join(dataDir, `functions/data_${id}/data/stores`)
  const removed: Promise<void>[] = []
  for (let id = 0; id < 40; id++) {
    await mkdir(join(folderOf(id), 'deep'), { recursive: true })
    await writeFile(join(folderOf(id), 'kept.bin'), 'kept')
    for (let file = 0; file < 10; file++)
      await writeFile(join(folderOf(id), `deep/${file}.bin`), 'short-lived')
  }
  const backingUp = backUp(settingsOf(dataDir), join(dataDir, 'saved.tar'), { isVerified: false })
  for (let id = 0; id < 40; id++) {
    removed.push(rm(join(folderOf(id), 'deep'), { recursive: true }))
    await turn()
  }
  await Promise.all([backingUp, ...removed])
  const names = execFileSync('tar', ['-tf', join(dataDir, 'saved.tar')], { encoding: 'utf8' })
  assert.equal(names.match(/kept\.bin/g)?.length, 40)
})

test('the files of functions that are overwritten while a backup runs are in it with their content', async (t) => {
  const source = await startService('sqlite', { settings: { SVC_BILLING: 'off' } })
  t.after(() => source.stop())
  const { development } = await source.newProject()
  const { url } = await deployFunctions(
    development,
    `export default { async fetch(request, { FILES }) {
      const { pathname } = new URL(request.url)
      if (pathname === '/put') await Promise.all(['a', 'b'].map((key) => FILES.put(key, crypto.randomUUID())))
      return new Response(await (await FILES.get('a')).text())
    } }`,
    { bindings: [{ type: 'files', name: 'FILES' }] },
  )
  const ask = (service: Pick<Service, 'http'>, path: string) =>
    service.http.inject({ url: path, headers: { host: new URL(url).host } })
  assert.equal((await ask(source, '/put')).statusCode, 200)

  const file = join(source.dataDir, 'files.tar')
  let isDone = false
  const unverified = { isVerified: false }
  const backingUp = backUp(settingsOf(source.dataDir), file, unverified).finally(() => (isDone = true))
  while (!isDone) assert.equal((await ask(source, '/put')).statusCode, 200)
  await backingUp

  const dataDir = join(source.dataDir, 'restored')
  await restore(settingsOf(dataDir), file)
  await copyFile(join(source.dataDir, 'secret.key'), join(dataDir, 'secret.key'))
  const restored = await startService('sqlite', {
    clusterOf: { ...source, dataDir },
    settings: { SVC_BILLING: 'off' },
  })
  t.after(() => restored.stop())
  const answer = await ask(restored, '/')
  assert.deepEqual([answer.statusCode, answer.body.length], [200, 36])

  // A body that is lost in the service itself.
  await rm(join(source.dataDir, 'blobs/functions-files'), { recursive: true })
  const lacking = join(source.dataDir, 'lacking.tar')
  await assert.rejects(
    backUp(settingsOf(source.dataDir), lacking),
    /content of 2 files is missing.*--incomplete/,
  )
  assert.ok(!existsSync(lacking) && !existsSync(`${lacking}.part`))
  const { notes } = await backUp(settingsOf(source.dataDir), lacking, { mayLackFiles: true, ...unverified })
  assert.match(notes.at(-1) ?? '', /content of 2 files/)
})

test('a backup is restored into a mounted folder', async (t) => {
  const folder = await newDataDir()
  const dataDir = join(folder, 'volume')
  await mkdir(dataDir)
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'svc-test', dataDir], { stdio: 'pipe' })
  } catch (error) {
    return t.diagnostic(`NOT SHOWN: nothing can be mounted here (${String(error)})`)
  }
  t.after(async () => {
    execFileSync('umount', ['--lazy', dataDir])
    await rm(folder, { recursive: true })
  })
  await mkdir(join(dataDir, 'lost+found'))
  await mkdir(join(dataDir, 'restoring-killed'))
  await restore(settingsOf(dataDir), archive)
  assert.deepEqual((await readdir(dataDir)).toSorted(), ['lost+found', 'svc.sqlite'])

  const small = join(folder, 'small')
  await mkdir(small)
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'svc-test', small])
  try {
    await assert.rejects(restore(settingsOf(small), archive), /could not be restored to .*ENOSPC/s)
    assert.deepEqual(await readdir(small), [])
  } finally {
    execFileSync('umount', ['--lazy', small])
  }
})

test('[OPS-17] a backup with one changed bit is rejected before anything is written', async () => {
  const tarBytes = bytes.length - LAST_LINE_BYTES
  const places = [
    0,
    // The header of the first file: name, mode, time, checksum; then its first page, and the padding and the checksum at the end.
    100,
    136,
    148,
    257,
    400,
    512,
    700,
    5_000,
    ...Array.from({ length: 24 }, (_, n) => Math.floor((tarBytes / 24) * n)),
    bytes.length - 2_000,
    tarBytes - 1,
    tarBytes,
    tarBytes + 10,
    bytes.length - 2,
    bytes.length - 1,
  ]
  for (const place of places) {
    const damaged = Buffer.from(bytes)
    damaged[place] = (damaged[place] ?? 0) ^ 1
    assert.match((await refusalOf(damaged)) ?? 'restored', /damaged/, `byte ${place}`)
  }
})

test('a backup that is truncated or has extra bytes is rejected', async () => {
  for (const length of [0, 10, 512, bytes.length - 10_240, bytes.length - LAST_LINE_BYTES, bytes.length - 1])
    assert.match((await refusalOf(bytes.subarray(0, length))) ?? 'restored', /damaged/, `${length} bytes`)
  assert.match((await refusalOf(Buffer.concat([bytes, Buffer.from('\n')]))) ?? 'restored', /damaged/)
})

test('a data folder in which nothing can be created is named, with what to do', async () => {
  const file = join(service.dataDir, 'a-file')
  await writeFile(file, '')
  for (const [dataDir, code] of [
    ['/proc', 'ENOENT'],
    [file, 'ENOTDIR'],
  ] as const)
    await assert.rejects(backUp(settingsOf(dataDir), join(service.dataDir, 'unwritten.tar')), {
      message: `The data folder ${dataDir} cannot be read or written (${code}). Check SVC_DATA_DIR, and use the service’s own account.`,
    })
  assert.equal(existsSync(join(service.dataDir, 'unwritten.tar')), false)
})

/** Leaves the folder of a backup whose process was killed. */
async function killBackup(dataDir: string, draft = '') {
  const program = `import { createStaging } from ${JSON.stringify(import.meta.resolve('./staging.ts'))}
    await createStaging(${JSON.stringify(dataDir)}, ${JSON.stringify(draft)})
    process.kill(process.pid, 'SIGKILL')`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'ignore' })
  assert.deepEqual(await once(child, 'exit'), [null, 'SIGKILL'])
}
const stagingIn = async (dataDir: string) =>
  (await readdir(dataDir)).filter((name) => name.startsWith('backup-')).toSorted()

test('[OPS-18] the next backup and the next start remove what a killed backup has left, and nothing else', async (t) => {
  const dataDir = await newDataDir()
  t.after(() => rm(dataDir, { recursive: true }))
  await copySqliteTemplate(dataDir)
  await mkdir(join(dataDir, 'backup-monday'))
  await using running = await createStaging(dataDir)
  const kept = [basename(running.folder), 'backup-monday'].toSorted()

  const draft = join(dataDir, 'elsewhere.tar.part')
  await writeFile(draft, 'half a backup')
  await killBackup(dataDir, draft)
  assert.equal((await stagingIn(dataDir)).length, 3)
  await backUp(settingsOf(dataDir), join(dataDir, 'saved.tar'), { isVerified: false })
  assert.deepEqual(await stagingIn(dataDir), kept)
  assert.equal(existsSync(draft), false)

  await killBackup(dataDir)
  const started = await openService(readSettings({ SVC_DATA_DIR: dataDir, LOG_LEVEL: 'silent' }))
  await started.close()
  assert.deepEqual(await stagingIn(dataDir), kept)
})
