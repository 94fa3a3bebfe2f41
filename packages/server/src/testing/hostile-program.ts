import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'

import { findOrInstall } from '../../../../scripts/programs.ts'
import { configOf } from '../engines/functions/workerd/config/config.ts'
import { findBinary } from '../engines/functions/workerd/process/binary.ts'
import { dataFolderOf } from '../engines/functions/workerd/process/folders.ts'
import { startProcess } from '../engines/functions/workerd/process/process.ts'
import { probeSandbox, type Sandbox } from '../engines/functions/workerd/process/sandbox.ts'
import { startRoomProcess } from '../engines/functions/workerd/rooms/room-process.ts'
import { createResolver } from '../platform/network/outbound.ts'
import type { RoomProcessSpec } from '../platform/ports/room-process.ts'
import { codeOf, specOf } from './functions.ts'

const PERL = '/usr/bin/perl'
/** Inside the sandbox there is no `/usr/bin`: the loader of the system starts a copy. */
const LOADERS: Record<string, string> = {
  arm64: '/lib/ld-linux-aarch64.so.1',
  x64: '/lib64/ld-linux-x86-64.so.2',
}

/** Functions that attacks are written with. `$sockets` is the folder of the sockets. */
const PRELUDE = `
use strict;
$| = 1;
my $sockets = ($ARGV[-1] =~ m{^(.*)/code/config.capnp$})[0] . '/sockets';
sub listen_at {
  my ($path) = @_;
  socket(my $socket, 1, 1, 0) or die "socket: $!";
  bind($socket, pack('Sa*', 1, $path)) or die "bind: $!";
  listen($socket, 16) or die "listen: $!";
  return $socket;
}
open(my $events, '>&=', 3) or die;
sub report_listening { syswrite($events, qq({"event":"listen"}\\n)) for 1 .. 2 }
sub answer { my ($socket, $bytes) = @_; while (accept(my $one, $socket)) { syswrite($one, $bytes); close($one) } }
`

/** What a process does whose native code was taken over: a Perl script runs in place of workerd, in the same sandbox. */
export async function openHostile(t: Pick<TestContext, 'after'>, level?: Sandbox['level']) {
  findOrInstall('bubblewrap')
  const root = mkdtempSync(join(tmpdir(), 'svc-test-hostile-'))
  t.after(() => rmSync(root, { recursive: true, force: true }))
  // The account of the sandbox must be able to enter it.
  chmodSync(root, 0o755)
  const best = await probeSandbox(findBinary()?.path ?? '', root)
  const sandbox: Sandbox = level === 'plain' ? { level, user: undefined } : best
  const spec = specOf(codeOf(''))
  const data = dataFolderOf(root, spec.dataId)
  mkdirSync(data, { recursive: true })
  copyFileSync(PERL, join(data, 'perl'))
  const program = join(root, 'workerd')
  const first = sandbox.level === 'bubblewrap' ? `#!${LOADERS[process.arch]} /data/perl` : `#!${PERL}`
  const lines: string[] = []

  const write = (script: string) =>
    writeFileSync(program, `${first}\n${PRELUDE}\n${script}\n`, { mode: 0o755 })
  const onLine = ({ message }: { message: string }) => void lines.push(message)

  return {
    sandbox,
    root,
    data,
    /** What the script has printed. */
    lines,
    /** Throws `StartError` if it ends without the sockets of workerd. */
    start(script: string) {
      write(script)
      return startProcess({
        spec,
        program,
        sandbox,
        data: { root, isFull: false },
        config: (paths) => configOf(spec, paths),
        startTimeoutMs: 10_000,
        onLine,
        openServices: async () => ({ close() {} }),
      })
    },
    /** In place of a process of rooms. Without a data folder there is no Perl inside bubblewrap: only with the level `plain`. */
    startRooms(script: string, events: Pick<RoomProcessSpec, 'onMessage' | 'onEnd'>) {
      write(script)
      const calls = { onBindingCall() {}, onFunctionsCall() {} }
      const options = { program, sandbox, resolver: createResolver(), onLine }
      return startRoomProcess({ ...spec, code: codeOf(''), ...calls, ...events }, options)
    },
  }
}
