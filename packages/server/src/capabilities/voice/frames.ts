import * as contract from '@svc/contract/realtime/voice'

import type { Connection } from '../../edge/realtime/connection.ts'
import type { OnFrame } from '../../edge/realtime/frames.ts'
import type { Voice } from './voice.ts'

export function voiceFrames(on: OnFrame, voice: Voice<Connection>) {
  on(contract.voiceJoin, (request) => voice.join(request, request.fields.channel))
  on(contract.voiceLeave, (request) => voice.leave(request, request.fields.channel))
  on(contract.voiceSignal, (request) => voice.signal(request, request.fields, request.raw))
  on(contract.voicePublish, (request) => voice.publish(request, request.fields))
  on(contract.voiceAnswer, (request) => voice.answer(request, request.fields))
  on(contract.voiceSpeaking, (request) => voice.speaking(request, request.fields))
}
