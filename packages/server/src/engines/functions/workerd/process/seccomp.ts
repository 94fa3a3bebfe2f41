import { CLONE, CLONE3, DENIED, IOCTL, LAST_KNOWN, type Numbers, PRCTL, SOCKET } from './system-calls.ts'

/** Position in `Numbers`, and the kernel's number of the architecture. */
const ARCHITECTURES: Record<string, { index: 0 | 1; audit: number }> = {
  x64: { index: 0, audit: 0xc000_003e },
  arm64: { index: 1, audit: 0xc000_00b7 },
}

/** One instruction of classic BPF: code, jump if true, jump if false, operand. */
type Instruction = readonly [code: number, jumpTrue: number, jumpFalse: number, operand: number]

const LOAD = 0x20
const JUMP_IF_EQUAL = 0x15
const JUMP_IF_AT_LEAST = 0x35
const JUMP_IF_ANY_BIT = 0x45
const RETURN = 0x06

const NUMBER_OFFSET = 0
const ARCHITECTURE_OFFSET = 4
/** The lower half of the first argument; the kernel reads no more of the arguments that are checked. */
const ARGUMENT_OFFSET = 16
const SECOND_ARGUMENT_OFFSET = 24
const X32_NUMBERS = 0x4000_0000

const KILL_PROCESS = 0x8000_0000
const ALLOW = 0x7fff_0000
const FAIL_WITH_EPERM = 0x0005_0000 | 1
const FAIL_WITH_ENOSYS = 0x0005_0000 | 38

const CLONE_THREAD = 0x0001_0000
/** All namespaces, in `sched.h` CLONE_NEW…. */
const NEW_NAMESPACES = 0x7e02_0000
const AF_UNIX = 1
const PR_SET_PDEATHSIG = 1
const TIOCSCTTY = 0x540e
const TIOCSPGRP = 0x5410
const TIOCSTI = 0x5412
const TIOCLINUX = 0x541c

/**
 * A filter for `bwrap --seccomp`: the denied calls fail with EPERM, calls that are not known with ENOSYS, and calls of a foreign
 * architecture end the process.
 */
export function seccompFilter(architecture: string = process.arch): Buffer {
  const found = ARCHITECTURES[architecture]
  if (!found) throw new Error(`no seccomp filter for ${architecture}`)

  const on = (numbers: Numbers, ...block: Instruction[]): Instruction[] => {
    const number = numbers[found.index]
    return number === undefined ? [] : [[JUMP_IF_EQUAL, 0, block.length, number], ...block]
  }

  return encode([
    [LOAD, 0, 0, ARCHITECTURE_OFFSET],
    [JUMP_IF_EQUAL, 1, 0, found.audit],
    [RETURN, 0, 0, KILL_PROCESS],
    [LOAD, 0, 0, NUMBER_OFFSET],
    ...(architecture === 'x64' ? X32_GUARD : []),
    [JUMP_IF_AT_LEAST, 0, 1, LAST_KNOWN + 1],
    [RETURN, 0, 0, FAIL_WITH_ENOSYS],
    ...on(CLONE3, [RETURN, 0, 0, FAIL_WITH_ENOSYS]),
    ...Object.values(DENIED).flatMap((numbers) => on(numbers, [RETURN, 0, 0, FAIL_WITH_EPERM])),
    ...on(CLONE, ...ONLY_THREADS),
    ...on(SOCKET, ...ONLY_UNIX_SOCKETS),
    ...on(PRCTL, ...NOT_LONGER_THAN_THE_SERVICE),
    ...on(IOCTL, ...NO_TERMINAL),
    [RETURN, 0, 0, ALLOW],
  ])
}

const X32_GUARD: readonly Instruction[] = [
  [JUMP_IF_AT_LEAST, 0, 1, X32_NUMBERS],
  [RETURN, 0, 0, KILL_PROCESS],
]

const ONLY_THREADS: readonly Instruction[] = [
  [LOAD, 0, 0, ARGUMENT_OFFSET],
  [JUMP_IF_ANY_BIT, 1, 0, NEW_NAMESPACES],
  [JUMP_IF_ANY_BIT, 1, 0, CLONE_THREAD],
  [RETURN, 0, 0, FAIL_WITH_EPERM],
  [RETURN, 0, 0, ALLOW],
]

/** Some others are not part of a network namespace: VSOCK leads to the host of a virtual machine. */
const ONLY_UNIX_SOCKETS: readonly Instruction[] = [
  [LOAD, 0, 0, ARGUMENT_OFFSET],
  [JUMP_IF_EQUAL, 1, 0, AF_UNIX],
  [RETURN, 0, 0, FAIL_WITH_EPERM],
  [RETURN, 0, 0, ALLOW],
]

/** bubblewrap has set that the process ends with the service. */
const NOT_LONGER_THAN_THE_SERVICE: readonly Instruction[] = [
  [LOAD, 0, 0, ARGUMENT_OFFSET],
  [JUMP_IF_EQUAL, 0, 1, PR_SET_PDEATHSIG],
  [RETURN, 0, 0, FAIL_WITH_EPERM],
  [RETURN, 0, 0, ALLOW],
]

/** The service may have been started in a terminal: code can neither type into it nor read what is typed. */
const NO_TERMINAL: readonly Instruction[] = [
  [LOAD, 0, 0, SECOND_ARGUMENT_OFFSET],
  [JUMP_IF_EQUAL, 4, 0, TIOCSTI],
  [JUMP_IF_EQUAL, 3, 0, TIOCLINUX],
  [JUMP_IF_EQUAL, 2, 0, TIOCSPGRP],
  [JUMP_IF_EQUAL, 1, 0, TIOCSCTTY],
  [RETURN, 0, 0, ALLOW],
  [RETURN, 0, 0, FAIL_WITH_EPERM],
]

function encode(instructions: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(instructions.length * 8)
  instructions.forEach(([code, jumpTrue, jumpFalse, operand], index) => {
    bytes.writeUInt16LE(code, index * 8)
    bytes.writeUInt8(jumpTrue, index * 8 + 2)
    bytes.writeUInt8(jumpFalse, index * 8 + 3)
    bytes.writeUInt32LE(operand >>> 0, index * 8 + 4)
  })
  return bytes
}
