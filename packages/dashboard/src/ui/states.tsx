import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'

import { isUnreachable, type SvcError } from '../developer.ts'
import { clockTime } from '../format.ts'
import type { Answer } from '../queries.ts'
import type { Route } from '../route.ts'
import { WhomToAsk } from './allowed.tsx'
import { Button, LinkButton } from './button.tsx'
import { Icon } from './icon.tsx'
import { type IconType, LockIcon, WarningIcon } from './icons.ts'
import { Card, type CardProps } from './parts.tsx'

/** A wait shorter than this shows nothing. */
const SKELETON_AFTER_MS = 150

/** Grey lines in the shape of the content that is loading. They have their place from the start, so that nothing below them moves. */
export function Skeleton({ lines = 3, class: extra = '' }: { lines?: number; class?: string }) {
  const [isLate, setLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), SKELETON_AFTER_MS)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div class={`skeleton ${isLate ? 'late' : ''} ${extra}`} role="status" aria-label="Loading">
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} />
      ))}
    </div>
  )
}

type ErrorNoticeProps = {
  error: SvcError
  again?: () => void
  /** Data of this time is still shown. */
  dataAt?: number
}

/** The error message of the service, with its code and the id of the request. */
export const ErrorNotice = ({ error, again, dataAt }: ErrorNoticeProps) => (
  <div class="notice-error" role="alert">
    <Icon of={WarningIcon} size={18} />
    <div class="grow stack">
      <strong>{error.message}</strong>
      <span class="tiny faint mono">
        {[error.code, error.requestId, dataAt ? `as of ${clockTime(dataAt)}` : '']
          .filter(Boolean)
          .join(' · ')}
      </span>
    </div>
    {again && (
      <Button small onClick={again}>
        Try again
      </Button>
    )}
  </div>
)

type EmptyProps = {
  icon: IconType
  title: ComponentChildren
  children?: ComponentChildren
  action?: ComponentChildren
  /** In a card of its own. */
  inCard?: boolean
}

/** What a page or a list shows when it has no entries: what would be in it, and how to begin. */
export function EmptyState({ icon, title, children, action, inCard = false }: EmptyProps) {
  const content = (
    <div class="empty">
      <span class="empty-icon">
        <Icon of={icon} size={20} />
      </span>
      <h2>{title}</h2>
      {children && <div class="empty-text">{children}</div>}
      {action}
    </div>
  )
  return inCard ? <div class="card">{content}</div> : content
}

type FeatureOffProps = {
  route: Route
  error: SvcError
  icon: IconType
  title: string
  /** Where the config enables it, if the error does not say so. */
  configPath?: string
  children: ComponentChildren
}

/** A feature that the config has not enabled, or that the operator does not offer. */
export function FeatureOff({ route, error, icon, title, configPath, children }: FeatureOffProps) {
  const path = error.details['configPath'] ?? configPath
  const isOffered = error.code !== 'feature_unavailable'
  return (
    <EmptyState
      inCard
      icon={icon}
      title={`${title} ${isOffered ? 'is off' : 'is not available on this service'}`}
      action={
        isOffered && (
          <LinkButton
            kind="main"
            href={route.href('config', '', { path: typeof path === 'string' ? path : undefined })}
          >
            Open Config
          </LinkButton>
        )
      }
    >
      <p>{children}</p>
      {isOffered && typeof path === 'string' && (
        <p>
          Set <code>{path}</code> to <code>true</code>.
        </p>
      )}
    </EmptyState>
  )
}

/** In place of what the role of the developer does not include. */
export const NotInRole = ({ reason, projectId, inCard = false }: NotInRoleProps) => (
  <EmptyState inCard={inCard} icon={LockIcon} title="Not part of your role">
    {reason} <WhomToAsk projectId={projectId} />
  </EmptyState>
)

type NotInRoleProps = { reason: string; projectId: string; inCard?: boolean }

/** Whether a call failed because the config or the operator has not enabled the feature. */
export const isFeatureOff = (error: SvcError | null): error is SvcError =>
  error !== null && (error.code === 'feature_unavailable' || error.code.endsWith('_disabled'))

type LoadedProps<T> = {
  answer: Answer<T>
  /** Lines of the skeleton. */
  lines?: number | undefined
  children: (data: T) => ComponentChildren
  /** In a card of its own while there is no data. */
  inCard?: boolean
}

/** The states of a page or a part of it: loading, refused, and loaded; data that was loaded before stays. */
export function Loaded<T>({ answer, lines = 6, children, inCard = false }: LoadedProps<T>) {
  const { data, error, at, again } = answer
  const skeleton = <Skeleton lines={lines} />
  const projectId = error?.code === 'role_required' ? error.details['projectId'] : undefined
  if (error && typeof projectId === 'string')
    return <NotInRole inCard={inCard} reason={error.message} projectId={projectId} />
  return (
    <>
      {error && data === undefined && <ErrorNotice error={error} again={again} />}
      {/* One message above the page says that the service does not respond. */}
      {error && data !== undefined && !isUnreachable(error) && (
        <ErrorNotice error={error} again={again} dataAt={at} />
      )}
      {data === undefined && !error && (inCard ? <Card>{skeleton}</Card> : skeleton)}
      {data !== undefined && children(data)}
    </>
  )
}

type LoadedCardProps<T> = Omit<CardProps, 'children' | 'pad'> &
  Omit<LoadedProps<T>, 'inCard'> & {
    /** Below the content, such as a `ListFoot`, or dialogs. */
    foot?: ComponentChildren
  }

/** A card whose content is loaded and reaches the edges, such as a list or a table. */
export const LoadedCard = <T,>({ answer, lines, children, foot, ...card }: LoadedCardProps<T>) => (
  <Card {...card} pad={false}>
    <div class="card-part">
      <Loaded answer={answer} lines={lines}>
        {children}
      </Loaded>
    </div>
    {foot}
  </Card>
)
