import { Button } from '../../ui/button.tsx'
import { Slider } from '../../ui/field.tsx'
import { PauseIcon, PlayIcon } from '../../ui/icons.ts'
import { notifyError } from '../../ui/messages.tsx'
import type { PlayerNetwork } from './player-network.ts'

const LATENCY_MS_MAX = 1_000
const LOSS_PERCENT_MAX = 20

type Props = { name: string; network: PlayerNetwork }

/** The network of one player: latency, loss, and a pause in which nothing arrives. */
export function NetworkBar({ name, network }: Props) {
  const { latencyMs, lossPercent, paused } = network.conditions.value
  return (
    <div class="network-bar" role="group" aria-label={`Network of ${name}`}>
      <Slider
        label="Latency"
        value={latencyMs}
        max={LATENCY_MS_MAX}
        step={20}
        format={(value) => `${value} ms`}
        change={(value) => network.change({ latencyMs: value }, notifyError)}
      />
      <Slider
        label="Loss"
        value={lossPercent}
        max={LOSS_PERCENT_MAX}
        step={1}
        format={(value) => `${value} %`}
        change={(value) => network.change({ lossPercent: value }, notifyError)}
      />
      <Button
        small
        icon={paused ? PlayIcon : PauseIcon}
        label={paused ? 'Continue the network' : 'Pause the network'}
        aria-pressed={paused}
        onClick={() => network.change({ paused: !paused }, notifyError)}
      />
    </div>
  )
}
