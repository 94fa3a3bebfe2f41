import assert from 'node:assert/strict'
import { constants } from 'node:os'
import { test } from 'node:test'

import { openHostile } from '../../../../testing/hostile-program.ts'
import { seccompFilter } from './seccomp.ts'
import { StartError } from './start-error.ts'
import { CLONE, CLONE3, DENIED, IOCTL, LAST_KNOWN, PRCTL, SOCKET } from './system-calls.ts'

const { EPERM, ENOSYS } = constants.errno
const AUDIT = { x64: 0xc000_003e, arm64: 0xc000_00b7, ia32: 0x4000_0003 } as const
const CLONE_NEWUSER = 0x1000_0000
/** The flags of `pthread_create`. */
const THREAD = 0x003d_0f00
const OTHER_NAMESPACES = [0x0002_0000, 0x0200_0000, 0x0400_0000, 0x0800_0000, 0x2000_0000, 0x4000_0000]
const SIGCHLD = 17
const PR_SET_PDEATHSIG = 1
const PR_SET_NAME = 15
const TCGETS = 0x5401
/** TIOCSCTTY, TIOCSPGRP, TIOCSTI, TIOCLINUX. */
const OF_TERMINALS = [0x540e, 0x5410, 0x5412, 0x541c]
/** INET, INET6, NETLINK, PACKET, ALG, VSOCK. */
const FOREIGN_FAMILIES = [2, 10, 16, 17, 38, 40]

type Outcome = 'allow' | 'kill' | number

/** Runs the filter as the kernel does. */
function outcomeOf(filter: Buffer, audit: number, number: number, argument = 0, second = 0): Outcome {
  const call: Record<number, number> = { 0: number, 4: audit, 16: argument, 24: second }
  let value = 0
  for (let at = 0; ; at++) {
    const code = filter.readUInt16LE(at * 8)
    const operand = filter.readUInt32LE(at * 8 + 4)
    if (code === 0x06)
      return operand === 0x7fff_0000 ? 'allow' : operand === 0x8000_0000 ? 'kill' : operand & 0xffff
    if (code === 0x20) value = call[operand] ?? assert.fail(`loads ${operand}`)
    else {
      const isTrue = { 0x15: value === operand, 0x35: value >= operand, 0x45: (value & operand) !== 0 }[code]
      at += filter.readUInt8(at * 8 + (isTrue ? 2 : 3))
    }
  }
}

for (const [index, architecture] of [
  [0, 'x64'],
  [1, 'arm64'],
] as const)
  test(`the filter of ${architecture} denies calls by number and by argument`, () => {
    const filter = seccompFilter(architecture)
    const run = (number = -1, argument = 0, second = 0) =>
      outcomeOf(filter, AUDIT[architecture], number, argument, second)

    for (const [name, numbers] of Object.entries(DENIED))
      if (numbers[index] !== undefined) assert.equal(run(numbers[index]), EPERM, name)
    const seen = Object.values(DENIED).flatMap((numbers) => numbers[index] ?? [])
    assert.equal(new Set(seen).size, seen.length, 'each number is listed once')

    assert.equal(run(CLONE3[index]), ENOSYS)
    assert.equal(run(CLONE[index], THREAD), 'allow')
    assert.equal(run(CLONE[index], SIGCHLD), EPERM)
    for (const namespace of [CLONE_NEWUSER, ...OTHER_NAMESPACES]) {
      assert.equal(run(CLONE[index], namespace | SIGCHLD), EPERM)
      assert.equal(run(CLONE[index], namespace | THREAD), EPERM)
    }
    assert.equal(run(SOCKET[index], 1), 'allow')
    for (const family of FOREIGN_FAMILIES) assert.equal(run(SOCKET[index], family), EPERM)
    assert.equal(run(PRCTL[index], PR_SET_NAME), 'allow')
    assert.equal(run(PRCTL[index], PR_SET_PDEATHSIG), EPERM)

    assert.equal(run(IOCTL[index], 0, TCGETS), 'allow')
    for (const request of OF_TERMINALS) assert.equal(run(IOCTL[index], 0, request), EPERM)

    assert.equal(run(LAST_KNOWN + 1), ENOSYS)
    assert.equal(run(0x3fff_ffff), ENOSYS)
    const [read, write] = architecture === 'x64' ? [0, 1] : [63, 64]
    assert.equal(run(read), 'allow')
    assert.equal(run(write), 'allow')
  })

test('calls of another architecture end the process', () => {
  assert.equal(outcomeOf(seccompFilter('x64'), AUDIT.ia32, 0), 'kill')
  assert.equal(outcomeOf(seccompFilter('x64'), AUDIT.arm64, 0), 'kill')
  assert.equal(outcomeOf(seccompFilter('arm64'), AUDIT.x64, 63), 'kill')
  // The numbers of x32 have the architecture of x64.
  assert.equal(outcomeOf(seccompFilter('x64'), AUDIT.x64, 0x4000_0000 + 1), 'kill')
  assert.throws(() => seccompFilter('riscv64'), /no seccomp filter/)
})

test('native code in the sandbox gets EPERM or ENOSYS for each denied call', async (t) => {
  const index = process.arch === 'x64' ? 0 : 1
  const cases = [
    ...Object.entries(DENIED).flatMap(([name, numbers]) =>
      numbers[index] === undefined ? [] : [{ name, args: [numbers[index], -1], expected: EPERM }],
    ),
    { name: 'clone3', args: [CLONE3[index], 0, 0], expected: ENOSYS },
    { name: 'a new process', args: [CLONE[index], SIGCHLD, 0, 0, 0, 0], expected: EPERM },
    { name: 'a user namespace', args: [CLONE[index], CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0], expected: EPERM },
    { name: 'to outlive the service', args: [PRCTL[index], PR_SET_PDEATHSIG, 0], expected: EPERM },
    ...OF_TERMINALS.map((request) => ({
      name: `ioctl ${request}`,
      args: [IOCTL[index], 1, request],
      expected: EPERM,
    })),
    { name: 'a call that is not known', args: [LAST_KNOWN + 1, 0], expected: ENOSYS },
    ...FOREIGN_FAMILIES.map((family) => ({
      name: `a socket of family ${family}`,
      args: [SOCKET[index], family, 2, 0],
      expected: EPERM,
    })),
    { name: 'a unix socket', args: [SOCKET[index], 1, 1, 0], expected: 0 },
  ]
  const hostile = await openHostile(t)
  assert.equal(hostile.sandbox.level, 'bubblewrap')

  await assert.rejects(
    hostile.start(
      cases
        .map(({ args: [number, ...rest] }) => {
          const all = [number, ...rest, ...Array<number>(6 - rest.length).fill(-1)].join(', ')
          return `$! = 0; print("errno ", syscall(${all}) == -1 ? $! + 0 : 0, "\\n");`
        })
        .join('\n'),
    ),
    StartError,
  )

  assert.deepEqual(
    cases.map(({ name }, at) => [name, hostile.lines[at]]),
    cases.map(({ name, expected }) => [name, `errno ${expected}`]),
  )
})
