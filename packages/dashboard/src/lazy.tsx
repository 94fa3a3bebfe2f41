import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'

import { Button } from './ui/button.tsx'
import { WarningIcon } from './ui/icons.ts'
import { EmptyState, Skeleton } from './ui/states.tsx'

/** A page whose script is loaded when it is first shown: the default export of a module. `preload` loads it earlier. */
export function lazy<P extends object>(load: () => Promise<{ default: ComponentType<P> }>) {
  let loaded: ComponentType<P> | undefined
  const preload = async () => (loaded ??= (await load()).default)

  function Lazy(props: P) {
    const [state, setState] = useState<'loading' | 'loaded' | 'failed'>(loaded ? 'loaded' : 'loading')
    useEffect(() => {
      preload().then(
        () => setState('loaded'),
        () => setState('failed'),
      )
    }, [])
    if (loaded) {
      const Part = loaded
      return <Part {...props} />
    }
    if (state === 'failed') return <NotLoaded />
    return <Skeleton lines={6} class="page-skeleton" />
  }
  return Object.assign(Lazy, { preload })
}

/** The service does not answer, or a newer version with other file names was installed. */
const NotLoaded = () => (
  <EmptyState
    icon={WarningIcon}
    title="This page could not be loaded"
    action={<Button onClick={() => location.reload()}>Reload</Button>}
  >
    The service is not responding, or it was updated.
  </EmptyState>
)
