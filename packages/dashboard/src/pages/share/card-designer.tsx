import type { CurrentConfig } from '@svc/contract/config/config'
import type { CardDesign } from '@svc/contract/sharing'
import { useEffect, useState } from 'preact/hooks'

import { addressOf, asSvcError, call, type ResponseOf, type SvcError } from '../../developer.ts'
import { useCall } from '../../queries.ts'
import { inProduction, type Route } from '../../route.ts'
import { Button } from '../../ui/button.tsx'
import { Field, TextField } from '../../ui/field.tsx'
import { notifyError } from '../../ui/messages.tsx'
import { Card, Copy, Segments } from '../../ui/parts.tsx'
import { ErrorNotice, Loaded, Skeleton } from '../../ui/states.tsx'
import { usePush } from '../config/push-dialog.tsx'

/** After the last key: each drawing takes CPU time of the service. */
const DRAW_AFTER_MS = 300
const KINDS = [
  { id: 'default', title: 'App' },
  { id: 'score', title: 'Score' },
  { id: 'challenge', title: 'Challenge' },
] as const
const COLORS = [
  ['background', 'Background'],
  ['accent', 'Score'],
  ['text', 'Text'],
] as const
const DEFAULT_THEME = { background: '#0f1115', accent: '#ffcc33', text: '#ffffff' }
const COLOR = /^#[0-9a-f]{6}$/i

type Design = Pick<CardDesign, 'theme'> & { title: string }
type Images = { title?: unknown; theme?: Partial<CardDesign['theme']> }

/** Title and colors of the card, with the picture that the service draws of them. */
export function CardDesigner({ route }: { route: Route }) {
  const answer = useCall('readConfig', { params: route.params })
  return (
    <Loaded answer={answer} lines={8} inCard>
      {(current) => <Designer key={current.version} route={route} current={current} />}
    </Loaded>
  )
}

function designOf({ config }: CurrentConfig): Design {
  const { title, theme } = ((config.share as { images?: Images } | undefined)?.images ?? {}) satisfies Images
  const text = typeof title === 'object' && title !== null ? (title as Record<string, string>)['en'] : title
  return { title: typeof text === 'string' ? text : '', theme: { ...DEFAULT_THEME, ...theme } }
}

function Designer({ route, current }: { route: Route; current: CurrentConfig }) {
  const pushed = designOf(current)
  const [design, setDesign] = useState(pushed)
  const [kind, setKind] = useState<CardDesign['kind']>('default')
  const { review, dialog } = usePush(route)
  const isChanged = JSON.stringify(design) !== JSON.stringify(pushed)
  const isValid = Object.values(design.theme).every((color) => COLOR.test(color))
  const label = route.env === 'production' ? route.project.slug : `${route.project.slug}--dev`

  return (
    <Card
      title="Card designer"
      side={
        <Copy text={addressOf('readDefaultCard', { params: { label } })} label="Copy image URL">
          <span class="small">URL</span>
        </Copy>
      }
    >
      <div class="designer">
        <div class="form">
          <Segments label="Card type" items={KINDS} chosen={kind} choose={setKind} />
          <TextField
            label="Title"
            hint="Leave empty for no title."
            maxLength={60}
            value={design.title}
            change={(title) => setDesign({ ...design, title })}
          />
          <div class="colors">
            {COLORS.map(([name, title]) => (
              <ColorField
                key={name}
                title={title}
                value={design.theme[name]}
                change={(color) => setDesign({ ...design, theme: { ...design.theme, [name]: color } })}
              />
            ))}
          </div>
          <div class="row wrap">
            <Button
              kind="main"
              disabled={!isChanged || !isValid}
              onClick={() => review(withDesign(current.config, design)).catch(notifyError)}
            >
              Review and push{inProduction(route)}
            </Button>
            <Button disabled={!isChanged} onClick={() => setDesign(pushed)}>
              Discard
            </Button>
          </div>
          <p class="tiny faint">
            Background image and font are files in the live version: <code>share.images.background</code> and{' '}
            <code>share.images.font</code> in Config.
          </p>
        </div>
        <Preview route={route} design={isValid ? { ...design, kind } : undefined} />
      </div>
      {dialog}
    </Card>
  )
}

type Props = { title: string; value: string; change: (color: string) => void }

const ColorField = ({ title, value, change }: Props) => (
  <Field label={title} problem={COLOR.test(value) ? undefined : 'Enter a color such as #ffcc33'}>
    {(id, hint) => (
      <span class="row">
        <input
          type="color"
          class="swatch"
          aria-label={`${title}: choose a color`}
          value={COLOR.test(value) ? value : '#000000'}
          onInput={(event) => change(event.currentTarget.value)}
        />
        <input
          id={id}
          class="input mono"
          maxLength={7}
          spellcheck={false}
          value={value}
          aria-describedby={hint}
          onInput={(event) => change(event.currentTarget.value)}
        />
      </span>
    )}
  </Field>
)

type PreviewProps = { route: Route; design: (Design & Pick<CardDesign, 'kind'>) | undefined }

/** The picture as the service draws it. */
function Preview({ route, design }: PreviewProps) {
  const [drawn, setDrawn] = useState<ResponseOf<'previewCard'>>()
  const [error, setError] = useState<SvcError>()
  const text = JSON.stringify(design)
  useEffect(() => {
    if (!design) return undefined
    const leaving = new AbortController()
    const draw = async () => {
      try {
        const body = { ...design, ...(design.kind !== 'default' && { score: 4_200 }) }
        setDrawn(await call('previewCard', { params: route.params, body }, { signal: leaving.signal }))
        setError(undefined)
      } catch (failure) {
        if (!leaving.signal.aborted) setError(asSvcError(failure))
      }
    }
    const timer = setTimeout(() => void draw(), drawn ? DRAW_AFTER_MS : 0)
    return () => {
      clearTimeout(timer)
      leaving.abort()
    }
  }, [text])
  return (
    <div class="stack">
      {error && <ErrorNotice error={error} />}
      {drawn ? (
        <img
          class="share-card"
          src={`data:image/png;base64,${drawn.png}`}
          alt="The card as social networks show it"
          width={600}
          height={300}
        />
      ) : (
        !error && <Skeleton lines={6} />
      )}
      {drawn && !drawn.drawn && (
        <p class="small is-warn">This service does not draw cards. Social networks show a plain one.</p>
      )}
      {drawn?.problems.map((problem) => (
        <p key={problem} class="small is-warn">
          {problem}
        </p>
      ))}
    </div>
  )
}

/** A copy of the document with this design; titles in other languages stay. */
function withDesign(config: CurrentConfig['config'], { title, theme }: Design): object {
  const share = (config.share ?? {}) as { images?: Images }
  const { title: before, ...images } = share.images ?? {}
  const titles =
    typeof before === 'object' && before !== null
      ? { ...before, en: title }
      : title === ''
        ? undefined
        : title
  return {
    ...config,
    share: {
      ...share,
      images: {
        ...images,
        ...(titles !== undefined && { title: titles }),
        theme: { ...images.theme, ...theme },
      },
    },
  }
}
