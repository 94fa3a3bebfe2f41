import * as contract from '@svc/contract/realtime/channels'

import type { OnFrame } from '../../edge/realtime/frames.ts'
import type { Channels } from './channels.ts'

export function channelsFrames(on: OnFrame, channels: Channels) {
  on(contract.channelJoin, (request) => channels.join(request, request.fields.channel))
  on(contract.channelCreate, (request) => channels.create(request, request.fields))
  on(contract.channelLeave, (request) => channels.leave(request, request.fields.channel))
  on(contract.channelSend, (request) => channels.send(request, request.fields, request.raw))
  on(contract.channelModerate, (request) => channels.moderate(request, request.fields))
}
