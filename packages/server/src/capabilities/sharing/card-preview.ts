import { LIMITS } from '@svc/contract/common/limits'
import type { CardDesign } from '@svc/contract/sharing'

import { MINUTE_MS } from '../../platform/clock.ts'
import type { Environment } from '../../platform/environment.ts'
import { requireAdmitted, type SlidingCounters } from '../../platform/time/sliding-limit.ts'
import type { CardInputs } from './card-inputs.ts'
import type { Draw } from './drawing.ts'
import { DEFAULT_LANGUAGE, lookOf } from './look.ts'
import type { CurrentConfig, HostedFiles } from './ports.ts'

type PreviewDeps = {
  draw: Draw
  inputs: Pick<CardInputs, 'fileOf'>
  counters: SlidingCounters
  config: CurrentConfig
  files: HostedFiles
}
export type PreviewCard = ReturnType<typeof createCardPreview>

/** The name on a preview. */
const SOMEBODY = 'Ada'

/** Draws what a config would show before it is pushed. Nothing is stored. */
export function createCardPreview({ draw, inputs, counters, config, files }: PreviewDeps) {
  return async (environment: Environment, { kind, title, theme, score }: CardDesign) => {
    const { id: environmentId, projectId } = environment
    requireAdmitted(
      await counters.admit(`card-preview:${environmentId}`, MINUTE_MS, LIMITS.cardPreviewsPerMinuteMax),
    )
    const { images } = (await config(environmentId)).config.share
    const { background, font, ...look } = lookOf({ ...images, theme }, await files.live(environment), [
      DEFAULT_LANGUAGE,
    ])
    const drawing = await draw({
      ...look,
      environmentId,
      kind,
      title: title ? title : null,
      score: kind === 'default' ? null : (score ?? 0),
      displayName: kind === 'default' ? null : SOMEBODY,
      background: inputs.fileOf(projectId, 'background', background),
      font: inputs.fileOf(projectId, 'font', font),
    })
    return {
      png: Buffer.from(drawing.png).toString('base64'),
      drawn: drawing.isDrawn,
      problems: drawing.problems.map(({ message }) => message),
    }
  }
}
