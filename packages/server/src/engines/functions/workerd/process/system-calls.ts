/** The number of a system call, or undefined where the architecture does not have it. */
export type Numbers = readonly [x64: number | undefined, arm64: number | undefined]

/** Calls whose arguments the filter checks. */
export const CLONE: Numbers = [56, 220]
export const SOCKET: Numbers = [41, 198]
export const PRCTL: Numbers = [157, 167]
export const IOCTL: Numbers = [16, 29]

/** Its arguments are in memory, where a filter cannot read them. Libraries call `clone` where the kernel does not have it. */
export const CLONE3: Numbers = [435, 435]

/** Later numbers are calls that this list does not know. Programs also run on older kernels, which do not have them. */
export const LAST_KNOWN = 456

/**
 * Calls that code in the sandbox has no reason to make. None of them is needed by workerd. Numbers are from the kernel's tables
 * (`syscall_64.tbl` and `asm-generic/unistd.h`).
 */
export const DENIED: Record<string, Numbers> = {
  // Other processes: with one process, its limits hold.
  fork: [57, undefined],
  vfork: [58, undefined],
  execveat: [322, 281],
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  process_madvise: [440, 440],
  process_mrelease: [448, 448],
  kcmp: [312, 272],
  pidfd_getfd: [438, 438],

  // Namespaces and mounts.
  unshare: [272, 97],
  setns: [308, 268],
  chroot: [161, 51],
  pivot_root: [155, 41],
  mount: [165, 40],
  umount2: [166, 39],
  open_tree: [428, 428],
  move_mount: [429, 429],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  mount_setattr: [442, 442],

  // Memory that is not in the memory of the process.
  memfd_create: [319, 279],
  memfd_secret: [447, 447],
  shmget: [29, 194],
  shmat: [30, 196],
  shmctl: [31, 195],
  shmdt: [67, 197],
  semget: [64, 190],
  semop: [65, 193],
  semtimedop: [220, 192],
  semctl: [66, 191],
  msgget: [68, 186],
  msgsnd: [69, 189],
  msgrcv: [70, 188],
  msgctl: [71, 187],
  mq_open: [240, 180],
  mq_unlink: [241, 181],

  // The service reads the data of the process: a link would lead it to other files, and a FIFO would stop it.
  symlink: [88, undefined],
  symlinkat: [266, 36],
  link: [86, undefined],
  linkat: [265, 37],
  mknod: [133, undefined],
  mknodat: [259, 33],
  name_to_handle_at: [303, 264],
  open_by_handle_at: [304, 265],
  fanotify_init: [300, 262],
  fanotify_mark: [301, 263],

  // Parts of the kernel in which errors were found often.
  bpf: [321, 280],
  perf_event_open: [298, 241],
  userfaultfd: [323, 282],
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  io_setup: [206, 0],
  io_submit: [209, 2],
  io_destroy: [207, 1],
  add_key: [248, 217],
  request_key: [249, 218],
  keyctl: [250, 219],
  vmsplice: [278, 75],
  modify_ldt: [154, undefined],
  remap_file_pages: [216, 234],

  // The machine, its clock and its users.
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  create_module: [174, undefined],
  get_kernel_syms: [177, undefined],
  query_module: [178, undefined],
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  reboot: [169, 142],
  swapon: [167, 224],
  swapoff: [168, 225],
  acct: [163, 89],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  syslog: [103, 116],
  sysfs: [139, undefined],
  ustat: [136, undefined],
  uselib: [134, undefined],
  _sysctl: [156, undefined],
  nfsservctl: [180, 42],
  lookup_dcookie: [212, 18],
  vhangup: [153, 58],
  iopl: [172, undefined],
  ioperm: [173, undefined],
  settimeofday: [164, 170],
  clock_settime: [227, 112],
  clock_adjtime: [305, 266],
  adjtimex: [159, 171],
  sethostname: [170, 161],
  setdomainname: [171, 162],
  personality: [135, 92],
  capset: [126, 91],
  setuid: [105, 146],
  setgid: [106, 144],
  setreuid: [113, 145],
  setregid: [114, 143],
  setresuid: [117, 147],
  setresgid: [119, 149],
  setfsuid: [122, 151],
  setfsgid: [123, 152],
  setgroups: [116, 159],

  // How the kernel schedules the process is decided outside.
  sched_setscheduler: [144, 119],
  sched_setparam: [142, 118],
  sched_setattr: [314, 274],
  ioprio_set: [251, 30],
  setsid: [112, 157],
  migrate_pages: [256, 238],
  move_pages: [279, 239],
  mbind: [237, 235],
  set_mempolicy: [238, 237],
  set_mempolicy_home_node: [450, 450],
}
