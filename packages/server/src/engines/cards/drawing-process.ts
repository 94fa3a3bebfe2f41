import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { getCompileCacheDir } from 'node:module'

import { OWN_FILES } from '../../platform/own-files.ts'
import { type Card, CARD_SIZE, type InputFile } from './cards.ts'
import { imageSize } from './image-header.ts'
import type { CardReply, CardRequest, Ready, SentFile } from './takumi-process.ts'

/** The size of the uncompressed pixels of a card. */
const PNG_BYTES_MAX = CARD_SIZE.width * CARD_SIZE.height * 4

/** The renderer would use all cores for one card, and the service would have none left. */
const ONE_THREAD = { RAYON_NUM_THREADS: '1' }

export type Outcome = CardReply | { timedOut: true } | { ended: string }
export type DrawingProcess = ReturnType<typeof startDrawingProcess>
export type ProcessLimits = {
  rssBytesMax: number
  /** CPU time of the whole process while it draws one card. */
  drawCpuMsMax: number
  /** For the start, and for each card: much more than a busy host needs. It ends a process that waits forever. */
  waitMsMax: number
  priority: number
}

/** Starts the process that draws. It does not get the environment of the service, which contains secrets. */
export function startDrawingProcess({ rssBytesMax, drawCpuMsMax, waitMsMax, priority }: ProcessLimits) {
  const compileCache = getCompileCacheDir()
  const child = fork(OWN_FILES.drawing, [rssBytesMax, drawCpuMsMax, priority].map(String), {
    env: { ...ONE_THREAD, ...(compileCache !== undefined && { NODE_COMPILE_CACHE: compileCache }) },
    execArgv: ['--disable-warning=ExperimentalWarning'],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  const exited = exitOf(child)
  const ready = nextMessage<Ready>(child)
  // Without a listener, a second error would end the service.
  child.on('error', () => {})
  // An idle drawing process must not keep the service from ending.
  child.unref()
  child.channel?.unref()

  /** SHA-256 of the files that the process has: the last background and the last font that were sent. */
  const sent: { background?: string | undefined; font?: string | undefined } = {}

  /** Many cards of one app follow each other: its files, of several megabytes, are read and sent once. */
  async function requestOf(card: Card): Promise<CardRequest> {
    const background = await toSend(card.background, sent.background)
    const font = await toSend(card.font, sent.font)
    // Not before both were read: if that fails, nothing is sent.
    if (background) sent.background = card.background?.sha256
    if (font) sent.font = card.font?.sha256
    return { ...card, background, font }
  }

  /** The first of these events, or the end of the wait. */
  async function within<T>(event: Promise<T>): Promise<T | { ended: string } | { timedOut: true }> {
    const { promise: timedOut, resolve } = Promise.withResolvers<{ timedOut: true }>()
    const timer = setTimeout(() => resolve({ timedOut: true }), waitMsMax)
    try {
      return await Promise.race([event, exited, timedOut])
    } finally {
      clearTimeout(timer)
    }
  }

  return {
    pid: child.pid,

    /**
     * Draws one card; the caller waits for the outcome before the next. Unless the outcome is a picture, the process must be ended.
     */
    async draw(card: Card): Promise<Outcome> {
      const started = await within(ready)
      if (!('ready' in started)) return started
      const request = await requestOf(card)
      const replied = nextMessage<CardReply>(child)
      // A process that has just ended cannot receive: then `exited` resolves.
      child.send(request, () => {})
      return checked(await within(replied))
    },

    async end(): Promise<void> {
      child.ref()
      child.kill('SIGKILL')
      await exited
    },
  }
}

const nextMessage = <Message>(child: ChildProcess) =>
  new Promise<Message>((resolve) => child.once('message', (message) => resolve(message as Message)))

async function toSend(file: InputFile | null, sent: string | undefined): Promise<SentFile> {
  if (!file) return null
  return file.sha256 === sent ? 'as before' : file.read()
}

/** A malicious file may have taken control of the process, so its reply must be checked to be a card. */
function checked(outcome: Outcome): Outcome {
  if (typeof outcome !== 'object' || outcome === null) return { ended: 'its reply was not a card' }
  if (!('png' in outcome)) return outcome
  const { png } = outcome
  const size = png instanceof Uint8Array && png.byteLength <= PNG_BYTES_MAX ? imageSize(png) : undefined
  const isCard = size?.width === CARD_SIZE.width && size.height === CARD_SIZE.height
  return isCard ? outcome : { ended: 'its reply was not a card' }
}

/** Resolves when the process has ended, or could not be started. */
async function exitOf(child: ChildProcess): Promise<{ ended: string }> {
  try {
    const [code, signal] = await once(child, 'exit')
    return { ended: signal === null ? `exit code ${code}` : String(signal) }
  } catch (error) {
    return { ended: String(error) }
  }
}
