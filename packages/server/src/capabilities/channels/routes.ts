import * as contract from '@svc/contract/realtime/channels'

import type { Route } from '../../edge/http/routes.ts'
import type { ServerChannels } from './server-channels.ts'

export function channelsRoutes(route: Route, channels: ServerChannels) {
  route(contract.writeChannel, (request) => channels.write(request, request.params.name, request.body))
  route(contract.readChannel, (request) => channels.read(request, request.params.name))
  route(contract.deleteChannel, (request) => channels.remove(request, request.params.name))
  route(contract.sendToChannel, (request) => {
    const { params, body, raw } = request
    return channels.send(request, params.name, {
      type: body.type,
      data: body.data === undefined ? 'null' : raw,
    })
  })
  route(contract.moderateChannel, (request) => channels.moderate(request, request.params.name, request.body))
}
