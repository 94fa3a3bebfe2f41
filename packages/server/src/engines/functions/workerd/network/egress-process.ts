import type { Resolver } from 'node:dns/promises'
import { rmSync } from 'node:fs'
import { setPriority } from 'node:os'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'

import { currentSource, inNameOf } from '../../../../platform/error-source.ts'
import { createResolver } from '../../../../platform/network/outbound.ts'
import { openEgress, type Verdict } from './egress.ts'
import type { EgressCommand, EgressReport } from './remote-egress.ts'

/**
 * The process that sends all outgoing requests of the code of developers, so that what fetched servers send can never occupy the service.
 * It ends with the service.
 */
const REPORT_EVERY_MS = 100
/** As the processes of functions: below the service. */
const PRIORITY = 10

type Opened = { egress: Promise<{ close(): void }>; bytes: number; cpuMs: number }
const opened = new Map<number, Opened>()
const questions = new Map<number, (verdict: Verdict) => void>()
const resolvers = new Map<string, Resolver>()
let lastQuestion = 0

const report = (one: EgressReport) => void process.send?.(one, () => {})

try {
  setPriority(PRIORITY)
} catch {
  // It has a lower priority already.
}
process.on('disconnect', () => process.exit())
// Ctrl-C reaches every process of a terminal; the service may still need functions for its last requests.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
process.on('uncaughtException', (error) => {
  const { environmentId } = currentSource() ?? {}
  report({
    escaped: error.stack ?? String(error),
    ...(environmentId !== undefined && { id: Number(environmentId) }),
  })
})
process.on('message', (command: EgressCommand) => {
  if ('certificates' in command)
    setDefaultCACertificates([...getCACertificates('default'), ...command.certificates])
  else if ('open' in command) void open(command)
  else if ('close' in command) close(command.close)
  else answer(command)
})

async function open({
  open: id,
  path,
  allowLoopback,
  nameServers,
}: Extract<EgressCommand, { open: number }>) {
  if (opened.has(id)) return
  // Of the process before this one.
  rmSync(path, { force: true })
  const resolver = resolverOf(nameServers)
  const one: Opened = {
    bytes: 0,
    cpuMs: 0,
    egress: inNameOf({ environmentId: String(id), end() {} }, () =>
      openEgress(path, {
        allowLoopback,
        resolver,
        judge: (requestId, loop) =>
          new Promise((resolve) => {
            questions.set(++lastQuestion, resolve)
            report({ question: lastQuestion, id, requestId, loop })
          }),
        addBytes: (bytes) => (one.bytes += bytes),
        addCpuMs: (ms) => (one.cpuMs += ms),
      }),
    ),
  }
  opened.set(id, one)
  try {
    await one.egress
    report({ opened: id })
  } catch (error) {
    report({ opened: id, error: String(error) })
  }
}

function close(id: number) {
  const one = opened.get(id)
  if (one) reportUsed(id, one)
  opened.delete(id)
  one?.egress.then((egress) => egress.close()).catch(() => {})
  report({ closed: id })
}

function answer({ question, ...verdict }: Extract<EgressCommand, { question: number }>) {
  questions.get(question)?.(verdict)
  questions.delete(question)
}

function resolverOf(nameServers: string[]): Resolver {
  const key = nameServers.join()
  const resolver = resolvers.get(key) ?? createResolver()
  if (!resolvers.has(key)) resolver.setServers(nameServers)
  resolvers.set(key, resolver)
  return resolver
}

function reportUsed(id: number, one: Opened) {
  if (one.bytes === 0 && one.cpuMs === 0) return
  report({ used: id, bytes: one.bytes, cpuMs: one.cpuMs })
  one.bytes = one.cpuMs = 0
}

setInterval(() => {
  for (const [id, one] of opened) reportUsed(id, one)
}, REPORT_EVERY_MS)
