import type { NewError, SvcErrorCode } from '../http/errors.ts'

/** Echo cancellation, noise suppression and gain control; each is on unless it is set to false. */
export type Processing = { echoCancellation?: boolean; noiseSuppression?: boolean; autoGainControl?: boolean }

/** Other errors are `not_available`, with the browser's name for them first in the message. */
const REFUSALS: Record<string, [code: SvcErrorCode, message: string]> = {
  NotAllowedError: ['microphone_denied', 'The player or the browser does not allow the microphone.'],
  NotFoundError: ['microphone_not_found', 'There is no microphone.'],
  NotReadableError: ['microphone_busy', 'The microphone is in use by another program.'],
}

/** Throws `insecure_context` where the browser offers no devices, whatever the types say. */
export function mediaDevices(newError: NewError): MediaDevices {
  const devices = navigator.mediaDevices as MediaDevices | undefined
  if (!devices) throw newError('insecure_context', { message: 'The microphone needs https or localhost.' })
  return devices
}

/** Asks for the microphone. A device that is gone is replaced by the default one; `isReplaced` says so. */
export async function openMicrophone(
  { deviceId, processing = {} }: { deviceId?: string | undefined; processing?: Processing | undefined },
  newError: NewError,
): Promise<{ track: MediaStreamTrack; isReplaced: boolean }> {
  const devices = mediaDevices(newError)
  const ask = async (wanted: MediaTrackConstraints) => {
    const audio = {
      echoCancellation: true,
      noiseSuppression: true,
      autoGainControl: true,
      ...processing,
      ...wanted,
    }
    const [track] = (await devices.getUserMedia({ audio })).getAudioTracks()
    if (!track) throw new DOMException('', 'NotFoundError')
    return track
  }
  try {
    if (deviceId === undefined) return { track: await ask({}), isReplaced: false }
    try {
      return { track: await ask({ deviceId: { exact: deviceId } }), isReplaced: false }
    } catch (error) {
      if ((error as Error).name !== 'OverconstrainedError' && (error as Error).name !== 'NotFoundError')
        throw error
      return { track: await ask({}), isReplaced: true }
    }
  } catch (cause) {
    const [code, message] = REFUSALS[(cause as Error).name] ?? ['not_available', String(cause)]
    throw newError(code, { message, cause })
  }
}
