import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chown, copyFile, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { after, before, describe, test } from 'node:test'

import { findInstalledSvc } from '../src/project/installed-svc.ts'

const PROGRAM = join(import.meta.dirname, '../bin/svc.js')

let root: string
before(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'svc installed-')))
})
after(() => rm(root, { recursive: true, force: true }))

/** An installed package with our `bin/svc.js`, whose program prints where it is. */
async function install(folder: string, version = '0.1.0') {
  const home = join(root, folder, 'node_modules/@svc/cli')
  await mkdir(join(home, 'bin'), { recursive: true })
  await mkdir(join(home, 'dist'))
  await copyFile(PROGRAM, join(home, 'bin/svc.js'))
  await writeFile(join(home, 'package.json'), JSON.stringify({ name: '@svc/cli', version, type: 'module' }))
  await writeFile(join(home, 'dist/main.js'), `console.log('${folder}', ...process.argv.slice(2))\n`)
  return join(home, 'bin/svc.js')
}

describe('the installed svc', () => {
  let program: string
  let game: string
  before(async () => {
    program = await install('global')
    await mkdir(join(root, 'global/bin'))
    await symlink(program, join(root, 'global/bin/svc'))
    game = await install('game')
    await mkdir(join(root, 'game/functions/src'), { recursive: true })
    await writeFile(join(root, 'game/functions/package.json'), '{}')
    await mkdir(join(root, 'empty'))
  })
  const typed = (folder: string, file = join(root, 'global/bin/svc')) =>
    execFileSync(process.execPath, [file, 'deploy', '.'], {
      cwd: join(root, folder),
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    })

  test('[OPS-03] starts the CLI of the game in its folder and the folders in it, and itself elsewhere', () => {
    assert.equal(typed('empty'), 'global deploy .\n')
    assert.equal(typed('game'), 'game deploy .\n')
    assert.equal(typed('game/functions/src'), 'game deploy .\n')
    assert.equal(typed('game', game), 'game deploy .\n', 'the CLI of the game starts no other one')
    assert.equal(typed('empty', game), 'game deploy .\n')
  })

  test('a CLI that is linked into the game is the same one', async () => {
    await mkdir(join(root, 'linked/node_modules/@svc'), { recursive: true })
    await symlink(join(program, '../..'), join(root, 'linked/node_modules/@svc/cli'))
    assert.equal(typed('linked'), 'global deploy .\n')
  })

  test('[OPS-03] code that another account has put into a parent folder is not run', async (t) => {
    if (process.getuid?.() !== 0) return t.skip('only root can give files to another account')
    await install('shared')
    await chown(join(root, 'shared/node_modules/@svc/cli/bin/svc.js'), 65_534, 65_534)
    assert.equal(typed('shared'), 'global deploy .\n')
  })

  test('runs in a folder that no longer exists', () => {
    const line = 'mkdir gone && cd gone && rmdir ../gone && exec "$0" "$@"'
    const output = execFileSync('sh', ['-c', line, process.execPath, program, 'whoami'], {
      cwd: root,
      encoding: 'utf8',
    })
    assert.equal(output, 'global whoami\n')
  })

  test('is found in the PATH: a link of npm or a script of a package manager, not a foreign program', async () => {
    const folders = {
      foreign: '#!/bin/sh\necho daemontools\n',
      script: `#!/bin/sh\nexec node "${program}" "$@"\n`,
    }
    for (const [name, content] of Object.entries(folders)) {
      await mkdir(join(root, name))
      await writeFile(join(root, name, 'svc'), content, { mode: 0o755 })
    }
    await mkdir(join(root, 'game/node_modules/.bin'))
    await symlink(game, join(root, 'game/node_modules/.bin/svc'))
    const found = (...names: string[]) =>
      findInstalledSvc({ PATH: names.map((name) => name && join(root, name)).join(delimiter) })

    assert.deepEqual(found('empty', 'global/bin', 'foreign'), { program, version: '0.1.0' })
    assert.deepEqual(found('script'), { program: join(root, 'script/svc'), version: undefined })
    assert.equal(found('foreign', 'global/bin'), undefined, 'the first one is what a shell starts')
    assert.equal(
      found('game/node_modules/.bin', '', 'nowhere'),
      undefined,
      'npm adds it for its own commands',
    )
    assert.equal(findInstalledSvc({}), undefined)
  })
})
