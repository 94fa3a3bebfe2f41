import { Button } from '../../ui/button.tsx'
import { Slider } from '../../ui/field.tsx'
import { PauseIcon, PlayIcon } from '../../ui/icons.ts'
import { notifyError } from '../../ui/messages.tsx'
import type { SimulatedPlayer } from './simulated-player.ts'

const LATENCY_MS_MAX = 2_000
const LOSS_PERCENT_MAX = 50

/** The network of one player: latency, loss, and a pause in which nothing arrives. */
export function NetworkBar({ player }: { player: SimulatedPlayer }) {
  const { latencyMs, lossPercent, paused } = player.network.value
  const change = (changed: Partial<SimulatedPlayer['network']['value']>) =>
    player.setNetwork(changed, notifyError)
  return (
    <div class="network-bar" role="group" aria-label={`Network of ${player.name}`}>
      <Slider
        label="Latency"
        value={latencyMs}
        max={LATENCY_MS_MAX}
        step={20}
        format={(value) => `${value} ms`}
        change={(value) => change({ latencyMs: value })}
      />
      <Slider
        label="Loss"
        value={lossPercent}
        max={LOSS_PERCENT_MAX}
        step={1}
        format={(value) => `${value} %`}
        change={(value) => change({ lossPercent: value })}
      />
      <Button
        small
        icon={paused ? PlayIcon : PauseIcon}
        label={paused ? 'Continue the network' : 'Pause the network'}
        aria-pressed={paused}
        onClick={() => change({ paused: !paused })}
      />
    </div>
  )
}
