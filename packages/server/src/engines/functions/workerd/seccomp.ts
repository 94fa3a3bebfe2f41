/** System calls that code in the sandbox has no reason to make, by number of each architecture. */
const DENIED: Record<string, Record<string, number>> = {
  arm64: {
    ptrace: 117,
    mount: 40,
    umount2: 39,
    pivot_root: 41,
    chroot: 51,
    bpf: 280,
    perf_event_open: 241,
    keyctl: 219,
    add_key: 217,
    request_key: 218,
    userfaultfd: 282,
    io_uring_setup: 425,
    io_uring_enter: 426,
    io_uring_register: 427,
    unshare: 97,
    setns: 268,
    init_module: 105,
    finit_module: 273,
    delete_module: 106,
    kexec_load: 104,
    kexec_file_load: 294,
    process_vm_readv: 270,
    process_vm_writev: 271,
    reboot: 142,
    swapon: 224,
    swapoff: 225,
    open_by_handle_at: 265,
    acct: 89,
    quotactl: 60,
    syslog: 116,
    fsopen: 430,
    fsmount: 432,
    move_mount: 429,
    open_tree: 428,
    pidfd_getfd: 438,
  },
  x64: {
    ptrace: 101,
    mount: 165,
    umount2: 166,
    pivot_root: 155,
    chroot: 161,
    bpf: 321,
    perf_event_open: 298,
    keyctl: 250,
    add_key: 248,
    request_key: 249,
    userfaultfd: 323,
    io_uring_setup: 425,
    io_uring_enter: 426,
    io_uring_register: 427,
    unshare: 272,
    setns: 308,
    init_module: 175,
    finit_module: 313,
    delete_module: 176,
    kexec_load: 246,
    kexec_file_load: 320,
    process_vm_readv: 310,
    process_vm_writev: 311,
    reboot: 169,
    swapon: 167,
    swapoff: 168,
    open_by_handle_at: 304,
    acct: 163,
    quotactl: 179,
    syslog: 103,
    fsopen: 430,
    fsmount: 432,
    move_mount: 429,
    open_tree: 428,
    pidfd_getfd: 438,
  },
}
const AUDIT_ARCHITECTURE: Record<string, number> = { arm64: 0xc000_00b7, x64: 0xc000_003e }

/** One instruction of classic BPF: code, jump if true, jump if false, operand. */
type Instruction = readonly [code: number, jumpTrue: number, jumpFalse: number, operand: number]

const LOAD = 0x20
const JUMP_IF_EQUAL = 0x15
const JUMP_IF_AT_LEAST = 0x35
const RETURN = 0x06

const NUMBER_OFFSET = 0
const ARCHITECTURE_OFFSET = 4
const X32_NUMBERS = 0x4000_0000

const KILL_PROCESS = 0x8000_0000
const ALLOW = 0x7fff_0000
const FAIL_WITH_EPERM = 0x0005_0000 | 1

/** A filter for `bwrap --seccomp`: the denied calls fail with EPERM, calls of a foreign architecture end the process. */
export function seccompFilter(architecture: string = process.arch): Buffer {
  const numbers = Object.values(DENIED[architecture] ?? {})
  const expected = AUDIT_ARCHITECTURE[architecture]
  if (expected === undefined) throw new Error(`no seccomp filter for ${architecture}`)

  return encode([
    [LOAD, 0, 0, ARCHITECTURE_OFFSET],
    [JUMP_IF_EQUAL, 1, 0, expected],
    [RETURN, 0, 0, KILL_PROCESS],
    [LOAD, 0, 0, NUMBER_OFFSET],
    ...(architecture === 'x64' ? X32_GUARD : []),
    ...numbers.map((number, index): Instruction => [JUMP_IF_EQUAL, numbers.length - index, 0, number]),
    [RETURN, 0, 0, ALLOW],
    [RETURN, 0, 0, FAIL_WITH_EPERM],
  ])
}

const X32_GUARD: readonly Instruction[] = [
  [JUMP_IF_AT_LEAST, 0, 1, X32_NUMBERS],
  [RETURN, 0, 0, KILL_PROCESS],
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
