/** Calls `changed` when the network is back, or the device uses another network. */
export function onNetworkChange(changed: () => void, signal: AbortSignal) {
  window.addEventListener('online', changed, { signal })
  const network = (navigator as { connection?: EventTarget & { type?: string } }).connection
  let networkType = network?.type
  network?.addEventListener(
    'change',
    () => {
      // The event is also sent when only the estimated speed has changed.
      if (network.type === networkType) return
      networkType = network.type
      changed()
    },
    { signal },
  )
}
