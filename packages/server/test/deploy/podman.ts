import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { findOrInstall } from '../../../../scripts/programs.ts'

const TIMEOUT_MS = 3_600_000
const OWN_AUTHORITIES = 'usr/local/share/ca-certificates'

export type Podman = ReturnType<typeof openPodman>

/** Podman with images and containers of its own, in a temporary folder. Needs root. */
export function openPodman() {
  const [program, runtime, debootstrap] = findOrInstall('podman', 'runc', 'debootstrap')
  const folder = mkdtempSync(join(tmpdir(), 'svc-image-'))
  const storage = ['--root', join(folder, 'storage'), '--runroot', join(folder, 'run')]
  const all = [
    '--runtime',
    runtime,
    ...storage,
    '--storage-driver',
    'overlay',
    '--cgroup-manager',
    'cgroupfs',
  ]

  /** Fails with the output of the command if it fails. */
  function podman(...args: string[]): string {
    const { status, stdout, stderr } = spawnSync(program, [...all, ...args], {
      encoding: 'utf8',
      timeout: TIMEOUT_MS,
      maxBuffer: 64 * 1024 ** 2,
    })
    if (status !== 0) throw new Error(`podman ${args[0]}: ${stdout.slice(-2_000)}${stderr.slice(-2_000)}`)
    return `${stdout}${args[0] === 'logs' ? stderr : ''}`.trim()
  }

  return {
    folder,
    podman,
    /**
     * Creates the image `debian:12-slim` from Debian's packages, in place of a download from a registry. Certificate authorities
     * that this machine trusts are trusted in it, too: a proxy of a company may need them.
     */
    createBase() {
      const base = join(folder, 'base')
      execFileSync(debootstrap, ['--variant=minbase', 'bookworm', base], {
        stdio: 'ignore',
        timeout: TIMEOUT_MS,
      })
      if (existsSync(join('/', OWN_AUTHORITIES))) {
        mkdirSync(join(base, OWN_AUTHORITIES), { recursive: true })
        cpSync(join('/', OWN_AUTHORITIES), join(base, OWN_AUTHORITIES), { recursive: true })
      }
      const archive = join(folder, 'base.tar')
      execFileSync('tar', ['-C', base, '-cf', archive, '.'], { timeout: TIMEOUT_MS })
      podman('import', archive, 'docker.io/library/debian:12-slim')
    },
    /** Without a runtime for containers: the steps run in a changed root. */
    build: (context: string, file: string, tag: string) =>
      podman(
        'build',
        '--isolation=chroot',
        '--format=docker',
        '--pull=never',
        '--network=host',
        '-t',
        tag,
        '-f',
        file,
        context,
      ),
    close() {
      spawnSync(program, [...all, 'rm', '--all', '--force', '--time=0'], { stdio: 'ignore' })
      spawnSync(program, [...all, 'rmi', '--all', '--force'], { stdio: 'ignore' })
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
