import { createClient } from '@redis/client'

export const CONNECT_TIMEOUT_MS = 2_000
const COMMANDS_WAITING_MAX = 10_000

/** A client of the Redis driver. */
export type Client = ReturnType<typeof newClient>

/** Never connected. The driver builds a class of all commands for each created client, about 50 ms, but not for a duplicate. */
const unconnected = createClient({
  disableOfflineQueue: true,
  commandsQueueMaxLength: COMMANDS_WAITING_MAX,
  maintNotifications: 'disabled',
})

export const newClient = (url: string, name: string) =>
  unconnected.duplicate({
    url,
    name: `svc-${name}`,
    // A new object: the driver writes host and port of the URL into it.
    socket: { connectTimeout: CONNECT_TIMEOUT_MS, reconnectStrategy: false },
  })
