import { NODE_PROTOCOL, withoutVersion, withVersion } from '../../platform/node-protocol.ts'
import type { Bus } from '../../platform/ports/bus.ts'
import { systemRandom } from '../../platform/random.ts'
import { type Client, openConnection } from '../redis/connection.ts'
import { createListeners } from './listeners.ts'
import type { BusOptions } from './options.ts'

export async function openRedisBus(url: string, options: BusOptions = {}): Promise<Bus> {
  const { prefix = 'svc:', random = systemRandom, log, protocol = NODE_PROTOCOL } = options
  const connectionOptions = { commandTimeoutMs: 1_000, ...options }
  const channels = `${prefix}bus:`
  // Every message begins with the protocol and its sender, which has already delivered it to its own handlers.
  const sender = random.bytes(9).toString('base64url')
  const listeners = createListeners(log)

  function receive(payload: string, channel: string) {
    const message = withoutVersion(payload, protocol)
    // A message that cannot be read counts as lost.
    if (message === undefined) return listeners.gap()
    if (message.startsWith(sender)) return
    listeners.deliver(channel.slice(channels.length), message.slice(sender.length))
  }

  const publisher = await openConnection(url, { name: 'bus-sender' }, connectionOptions)
  const receiver = {
    name: 'bus-receiver',
    // The channel without a topic is never used for messages: subscribing to it makes the start fail if Redis does not allow it.
    prepare: (client: Client) =>
      client.subscribe(
        ['', ...listeners.topics()].map((topic) => channels + topic),
        receive,
      ),
    returned: listeners.gap,
  }
  const subscriber = await openConnection(url, receiver, connectionOptions).catch(async (error: unknown) => {
    await publisher.close()
    throw error
  })

  /** Fails only while Redis is disconnected; the next connection subscribes to all current topics. */
  const sendToRedis = (command: (client: Client) => Promise<void>) =>
    void subscriber.run(command).catch(() => {})

  return {
    async publish(topic, message) {
      listeners.deliver(topic, message)
      await publisher
        .run((client) => client.publish(channels + topic, withVersion(sender + message, protocol)))
        .catch(() => {})
    },

    subscribe(topic, handler) {
      const isFirst = !listeners.has(topic)
      const remove = listeners.add(topic, handler)
      if (isFirst) sendToRedis((client) => client.subscribe(channels + topic, receive))
      return () => {
        if (!listeners.has(topic)) return
        remove()
        if (!listeners.has(topic)) sendToRedis((client) => client.unsubscribe(channels + topic, receive))
      }
    },

    onGap: listeners.addOnGap,

    // Redis answers in order: the pong to the subscriber arrives after all earlier subscriptions.
    async ping() {
      await Promise.all([publisher.run((client) => client.ping()), subscriber.run((client) => client.ping())])
    },

    async close() {
      await Promise.all([publisher.close(), subscriber.close()])
    },
  }
}
