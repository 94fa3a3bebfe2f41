import type {
  CodeProblem,
  FunctionsSpec,
  RoomClass,
  TrialResult,
} from '../../../../platform/ports/functions-engine.ts'
import { configOf } from '../config/config.ts'
import type { PrintedLine } from '../logs/log-lines.ts'
import { callControl, OperationError } from '../requests/control.ts'
import { HttpClient } from '../requests/http-client/http-client.ts'
import { processNs } from './proc.ts'
import { START_BYTES_MAX, startProcess, type WorkerdProcess } from './process.ts'
import type { Sandbox } from './sandbox.ts'
import { StartError } from './start-error.ts'

const TRIAL_MS = 5_000
const MIB = 1024 * 1024
const ROOMS_TIMEOUT_MS = 5_000
const PROBLEMS_MAX = 10
const UNLISTED = 'the code has started, but the classes of its rooms cannot be read'
const SERVICE = 'service user: '
const MISSING_CLASS = /svc-class-missing:(\S+)/
/** In the words of workerd: every export of the main module must be something that it can call. */
const NO_HANDLER = /Incorrect type for map entry '([^']+)'/
const AT_MODULE = /\bat ([^\s:]+):(\d+):\d+/
const IMPORTED_FROM = /imported from "([^"]+)"/

/** Starts the code on empty data and without network. Returns what prevents its start, its classes of rooms, and the CPU time. */
export async function tryCode(
  spec: FunctionsSpec,
  program: string,
  sandbox: Sandbox,
): Promise<{ result: TrialResult; cpuMs: number }> {
  const lines: PrintedLine[] = []
  let cpuMs = 0
  try {
    const started = await startProcess({
      spec,
      program,
      sandbox,
      data: 'empty',
      config: (paths) => configOf(spec, paths, { listsRooms: true }),
      startTimeoutMs: TRIAL_MS,
      onLine: (line) => lines.length < 100 && lines.push(line),
      onCpu: (ms) => (cpuMs = ms),
      openServices: async () => ({ close() {} }),
    })
    try {
      const result = await readRooms(spec, started)
      return { result, cpuMs: (processNs(started.pid) ?? 0) / 1e6 }
    } finally {
      started.kill('SIGKILL')
      await started.ended
    }
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    return { result: { problems: problemsOf(spec, lines, error), rooms: [] }, cpuMs }
  }
}

/** Asks the wrapper of the code. The code may have changed what it uses, so its answer is checked. */
async function readRooms(spec: FunctionsSpec, { controlSocket }: WorkerdProcess): Promise<TrialResult> {
  const control = new HttpClient(controlSocket, ROOMS_TIMEOUT_MS)
  try {
    const { rooms, problems } = await callControl<Listed>(control, 'rooms', {}, ROOMS_TIMEOUT_MS)
    if (!Array.isArray(rooms) || !rooms.every(isRoomClass) || !Array.isArray(problems))
      throw new Error('no list of rooms')
    return {
      problems: problems
        .slice(0, PROBLEMS_MAX)
        .map((one) => ({ path: mainPath(spec), message: String(one) })),
      rooms: rooms.map(({ className, tickRate }) => ({ className, tickRate })),
    }
  } catch (error) {
    // workerd starts a default export that it cannot call, such as a class that extends nothing.
    if (error instanceof OperationError) return { problems: [], rooms: [] }
    return { problems: [{ path: mainPath(spec), message: UNLISTED }], rooms: [] }
  } finally {
    control.close()
  }
}

type Listed = { rooms?: unknown; problems?: unknown }

const isRoomClass = (value: Partial<RoomClass>): value is RoomClass =>
  typeof value?.className === 'string' && Number.isInteger(value.tickRate)

function problemsOf(
  spec: FunctionsSpec,
  lines: readonly PrintedLine[],
  { reason }: StartError,
): CodeProblem[] {
  if (reason === 'timeout')
    return [{ path: mainPath(spec), message: `the code takes more than ${TRIAL_MS / 1000} s to start` }]
  if (reason === 'memory')
    return [
      { path: mainPath(spec), message: `the code needs more than ${START_BYTES_MAX / MIB} MB to start` },
    ]
  const texts = lines.filter(({ level }) => level === 'error').map(({ message }) => message)
  const text = texts.find((one) => one.includes('Uncaught')) ?? texts[0] ?? 'the code does not start'
  return [problemOf(spec, text.replace(SERVICE, '').replace('Uncaught ', ''))]
}

/** Finds the module and the line in workerd's words. */
function problemOf(spec: FunctionsSpec, text: string): CodeProblem {
  const bindings = spec.code?.bindings ?? []
  const [, className] = MISSING_CLASS.exec(text) ?? []
  if (className !== undefined) {
    const index = bindings.findIndex((one) => one.type === 'durable_object' && one.className === className)
    return {
      path: `$.bindings[${index}].className`,
      message: `the main module exports no class ${className}`,
    }
  }
  if (text.includes('svc-no-default-export'))
    return {
      path: mainPath(spec),
      message: 'the main module needs a default export that is an object or a class',
    }
  const [, value] = NO_HANDLER.exec(text) ?? []
  if (value !== undefined)
    return {
      path: mainPath(spec),
      message: `the main module exports ${value}, which is no class, function or object with handlers; move it to another file and import it from there`,
    }

  const [what = text] = text.split('\n')
  const [, module, line] = AT_MODULE.exec(text) ?? []
  const [, importer] = IMPORTED_FROM.exec(text) ?? []
  const index = moduleIndex(spec, module ?? importer)
  const path = index >= 0 ? `$.modules[${index}]` : mainPath(spec)
  return { path, message: index >= 0 && line !== undefined ? `line ${line}: ${what}` : what }
}

const moduleIndex = ({ code }: FunctionsSpec, name: string | undefined) =>
  code?.modules.findIndex((module) => module.name === name) ?? -1

const mainPath = (spec: FunctionsSpec) => `$.modules[${moduleIndex(spec, spec.code?.mainModule)}]`
